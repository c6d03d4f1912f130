import type { Intent, Outcome } from "@toolpacks/core";

/** What the queue keeps of a call for its trace. It refers to no part of the call's own arguments and result, which may be large. */
export interface HeldCall {
  readonly args: HeldArgs;
  readonly intent: Intent | undefined;
  /** The beginning of what the caller read. */
  readonly preview: string;
}

/** Arguments of an ended call: their JSON if it is short, else what the trace shows of them. */
export type HeldArgs = { readonly json: string } | { readonly condensed: string };

/** Maximum length of arguments that are condensed only when the trace is written. */
const maxArgsLength = 4_000;
/** Maximum length of an intent's text. A trace shows less. */
const maxIntentLength = 1_500;

export async function holdCall(args: unknown, intent: Intent | undefined, outcome: Outcome): Promise<HeldCall> {
  const preview = copyText(outcomePreview(outcome));
  return { args: await holdArgs(args), intent: intent && holdIntent(intent), preview };
}

/** Memory for what the queue keeps of a call besides its texts. */
const entryBytes = 500;

/** The approximate memory that a call takes in the queue, in bytes. */
export function heldBytes({ args, intent, preview }: HeldCall): number {
  const argsLength = ("json" in args ? args.json : args.condensed).length;
  return entryBytes + 2 * (argsLength + preview.length + (intent ? intentLength(intent) : 0));
}

async function holdArgs(args: unknown): Promise<HeldArgs> {
  if (measure(args, 0) <= maxArgsLength) return { json: JSON.stringify(args) };
  const { condenseArgs } = await import("./condense-call.ts");
  return { condensed: copyText(condenseArgs(args)) };
}

function holdIntent(intent: Intent): Intent {
  if (intentLength(intent) <= maxIntentLength) return intent;
  const { workspaceId, sessionId, memory, goal, constraints } = intent;
  const cut = (text: string) => copyText(text.slice(0, maxIntentLength));
  return {
    workspaceId,
    sessionId: cut(sessionId),
    memory: cut(memory),
    goal: cut(goal),
    ...(constraints !== undefined && { constraints: cut(constraints) }),
  };
}

function intentLength({ sessionId, memory, goal, constraints = "" }: Intent): number {
  return sessionId.length + memory.length + goal.length + constraints.length;
}

/** A copy of a text. A part of a text would keep the whole text in memory. */
function copyText(text: string): string {
  return Buffer.from(text).toString();
}

/** The approximate length of a value's JSON, counted up to `maxArgsLength`. */
function measure(value: unknown, before: number): number {
  if (typeof value === "string") return before + value.length + 2;
  if (value === null || typeof value !== "object") return before + 4;
  let size = before + 2;
  for (const name in value) {
    if (size > maxArgsLength) break;
    if (Object.hasOwn(value, name)) size = measure(Reflect.get(value, name), size + name.length + 4);
  }
  return size;
}

/** Three times the length in a trace: later steps remove spaces, and check some characters after the cut for secrets. */
const maxPreviewLength = 1_200;

/** The beginning of the text that a caller read of an outcome. */
export function outcomePreview(outcome: Outcome): string {
  const text = outcome.ok ? outcome.text : outcome.failure.message;
  const shown = text !== "" ? text : (outcome.blocks ?? []).map(blockText).join(" ");
  return shown.slice(0, maxPreviewLength);
}

function blockText(block: { readonly type: string; readonly text?: unknown }): string {
  return typeof block.text === "string" ? block.text.slice(0, maxPreviewLength) : `[${block.type}]`;
}
