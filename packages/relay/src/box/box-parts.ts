import { jsonValue, type CallToolResult, type ContentBlock } from "@toolpacks/core";
import type { Boxer, Fields } from "./boxer.ts";
import { isOver } from "./thresholds.ts";

/** The parts of a result, in a server and on the wire. */
export interface ResultParts {
  readonly blocks: readonly ContentBlock[];
  readonly structured?: Fields | undefined;
}

export interface BoxPartsOptions {
  /**
   * `required`: structured content stays, and only its large texts are replaced. `optional`: it is replaced as a whole if it
   * is still large. `hidden`: the caller sees only the blocks, so it is dropped unless a text is rendered from it.
   */
  readonly structured: "required" | "optional" | "hidden";
  /** Whether a large text is the structured content as JSON. */
  readonly isRendered: (text: string) => boolean;
  /** Renders structured content whose large texts are replaced. */
  readonly render: (structured: Fields) => string;
}

/** Boxes the large parts of a result. Returns the same object when nothing is large. */
export async function boxParts(parts: ResultParts, boxer: Boxer, options: BoxPartsOptions): Promise<ResultParts> {
  const { blocks, structured } = parts;
  const isLarge = (text: string) => isOver(text, boxer.threshold);
  const boxBlocks = async () => {
    const boxed = await boxer.blocks(blocks);
    return boxed === blocks ? parts : { blocks: boxed };
  };
  if (structured === undefined) return boxBlocks();
  const rendered = blocks.filter((one) => one.type === "text" && isLarge(one.text) && options.isRendered(one.text));
  if (options.structured === "hidden" && rendered.length === 0) return boxBlocks();

  const fields = await boxer.fields(structured);
  if (options.structured === "optional" && isLarge(JSON.stringify(fields))) {
    boxer.reset();
    return { blocks: await boxer.blocks([{ type: "text", text: JSON.stringify(structured) }]) };
  }
  const short = fields === structured || rendered.length === 0 ? undefined : options.render(fields);
  const isShort = short !== undefined && !isLarge(short);
  if (options.structured === "hidden" && !isShort) {
    boxer.reset();
    return boxBlocks();
  }
  const shortened = isShort
    ? blocks.map((one) => (one.type === "text" && rendered.includes(one) ? { ...one, text: short } : one))
    : blocks;
  const boxed = await boxer.blocks(shortened);
  return fields === structured && boxed === blocks ? parts : { blocks: boxed, structured: fields };
}

/** Boxes a result on the wire. Returns the same object when nothing in it is large. */
export async function boxResult(
  result: CallToolResult,
  boxer: Boxer,
  keepsStructured: boolean,
): Promise<CallToolResult> {
  const { structuredContent: structured, ...rest } = result;
  // The protocol requires content, but a server may leave it out.
  const parts = { blocks: result.content ?? [], structured };
  const boxed = await boxParts(parts, boxer, {
    structured: keepsStructured ? "required" : "optional",
    // Many servers repeat structured content as text.
    isRendered: (text) => isSameJson(text, structured),
    render: (fields) => JSON.stringify(fields),
  });
  if (boxed === parts) return result;
  // A result with structured content has no links: its handles are fields.
  return boxed.structured === undefined
    ? { ...rest, content: [...boxed.blocks, ...boxer.links] }
    : { ...result, content: [...boxed.blocks], structuredContent: { ...boxed.structured } };
}

function isSameJson(text: string, value: unknown): boolean {
  return text.trimStart().startsWith("{") && JSON.stringify(jsonValue(text)) === JSON.stringify(value);
}
