import type { Call, Outcome, Success } from "@toolpacks/core";
import { boxParts, type ResultParts } from "./box-parts.ts";
import type { Boxer } from "./boxer.ts";

/** Maximum number of values that are described beside their handles. */
const maxNotes = 3;

interface BoxOutcomeOptions {
  readonly call: Call;
  /** Whether tools list output schemas. Structured content must then stay. */
  readonly keepsStructured: boolean;
}

/** Boxes the outcome of a call. Returns the same object when nothing in it is large. */
export async function boxOutcome(outcome: Outcome, boxer: Boxer, options: BoxOutcomeOptions): Promise<Outcome> {
  if (!outcome.ok) {
    const blocks = outcome.blocks && (await boxer.blocks(outcome.blocks));
    return blocks === outcome.blocks || blocks === undefined ? outcome : { ...outcome, blocks };
  }
  const { resultMode } = options.call.context;
  const { value, text, blocks, ...rest } = outcome;
  const parts: ResultParts = { blocks: blocks ?? [{ type: "text", text }], structured: value };
  const boxed = await boxParts(parts, boxer, {
    structured: options.keepsStructured ? "required" : resultMode === "structured" ? "optional" : "hidden",
    isRendered: (one) => blocks === undefined && one.startsWith("{"),
    // JSON keeps its short fields, so that a model sees which field a handle belongs to.
    render: (fields) => [options.call.tool.render(fields), ...boxer.notes(maxNotes)].join("\n"),
  });
  if (boxed === parts) return outcome;
  const { links } = boxer;
  return {
    ...rest,
    value: boxed.structured,
    ...contentOf(boxed, outcome),
    ...(links.length > 0 && { links: [...(outcome.links ?? []), ...links] }),
    ...(resultMode === "both" && { fullValue: value ?? { text: textOf(parts) } }),
  };
}

function textOf({ blocks }: ResultParts): string {
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** A text becomes a text again; blocks stay blocks. */
function contentOf({ blocks }: ResultParts, { text, blocks: previous }: Success): Pick<Success, "text" | "blocks"> {
  const [only] = blocks;
  return previous === undefined && only?.type === "text" ? { text: only.text } : { text, blocks };
}
