import type { Call, Outcome, Success } from "@toolpacks/core";
import type { Boxer } from "./boxer.ts";
import { isOver } from "./thresholds.ts";

/** More values than these are shown as handles alone. */
const mostNotes = 3;

/** Boxes what a call came to. The same object when nothing in it is large. */
export async function boxOutcome(
  outcome: Outcome,
  boxer: Boxer,
  { call, keepsStructured }: { readonly call: Call; readonly keepsStructured: boolean },
): Promise<Outcome> {
  if (!outcome.ok) {
    const blocks = outcome.blocks && (await boxer.blocks(outcome.blocks));
    return blocks === outcome.blocks || blocks === undefined ? outcome : { ...outcome, blocks };
  }
  const { takes } = call.context;
  const isStructured = keepsStructured || takes === "structured";
  const boxed = isStructured
    ? await boxStructured(outcome, boxer, { call, keepsStructured })
    : await boxText(outcome, boxer, call);
  if (boxed === outcome) return outcome;
  const { links } = boxer;
  return {
    ...boxed,
    ...(links.length > 0 && { links: [...(outcome.links ?? []), ...links] }),
    ...(takes === "both" && outcome.value && { whole: outcome.value }),
  };
}

async function boxStructured(
  outcome: Success,
  boxer: Boxer,
  { call, keepsStructured }: { readonly call: Call; readonly keepsStructured: boolean },
): Promise<Success> {
  const { value, text, blocks } = outcome;
  const fields = value && (await boxer.fields(value));
  if (fields !== undefined && !keepsStructured && isOver(JSON.stringify(fields), boxer.threshold)) {
    const { value: _value, blocks: _blocks, ...rest } = outcome;
    return { ...rest, text: await boxer.instead(JSON.stringify(value)) };
  }
  return changed(outcome, {
    ...(fields && { value: fields }),
    ...(blocks === undefined
      ? { text: rendered(outcome, call, { fields, boxer }) ?? (await boxer.text(text)) }
      : { blocks: await boxer.blocks(blocks) }),
  });
}

/** Only the text is shown. JSON keeps its short fields, so that a model sees whose handle is whose. */
async function boxText(outcome: Success, boxer: Boxer, call: Call): Promise<Success> {
  const { value, text, blocks } = outcome;
  if (blocks !== undefined) {
    const boxed = await boxer.blocks(blocks);
    return boxed === blocks ? outcome : withoutValue({ ...outcome, blocks: boxed });
  }
  if (!isOver(text, boxer.threshold)) return outcome;
  if (value !== undefined && isJson(text)) {
    const fields = await boxer.fields(value);
    const short = rendered(outcome, call, { fields, boxer });
    if (short !== undefined) return { ...outcome, value: fields, text: short };
  }
  return withoutValue({ ...outcome, text: await boxer.instead(text) });
}

/** The text of a result that is rendered as JSON, with handles in place of its large fields, and what they stand for; undefined where it is still large. */
function rendered(
  { value, text }: Success,
  { tool }: Call,
  { fields, boxer }: { readonly fields: Success["value"]; readonly boxer: Boxer },
): string | undefined {
  if (fields === value || !isJson(text)) return undefined;
  const short = [tool.render(fields), ...boxer.notes.slice(0, mostNotes)].join("\n");
  return isOver(short, boxer.threshold) ? undefined : short;
}

function isJson(text: string): boolean {
  return text.startsWith("{");
}

/** What is not shown need not be kept in memory. */
function withoutValue(outcome: Success): Success {
  const { value: _, ...rest } = outcome;
  return rest;
}

function changed(outcome: Success, next: Partial<Pick<Success, "value" | "text" | "blocks">>): Success {
  const isSame = Object.entries(next).every(([name, value]) => outcome[name as keyof Success] === value);
  return isSame ? outcome : { ...outcome, ...next };
}
