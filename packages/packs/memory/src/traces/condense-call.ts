import {
  type CallEnd,
  type ObservedCall,
  type Outcome,
  isSecretField,
  maskArgument,
  secretMask,
} from "@toolpacks/core";
import { maskAndCut } from "../cut-text.ts";

const maxArgsLength = 2_000;
const maxStringLength = 500;
const maxResultLength = 400;
const maxIntentLength = 1_000;
const maxItems = 40;
const maxDepth = 6;

/**
 * The trace of a call: long values are cut, secrets are masked.
 *
 * @param time when the call began, in ms since 1970, and how long it took
 */
export function condenseCall(
  { name, args, parent, context }: ObservedCall,
  { entry, outcome }: CallEnd,
  time: { readonly began: number; readonly ms: number },
) {
  const { intent, principal } = context;
  const session = intent?.sessionId ?? context.session;
  const isRefused = !outcome.ok && outcome.isRefused === true;
  // Arguments that are refused for their size have very many fields, whose names are slow to read.
  const shownArgs = isRefused && outcome.failure.code === "too_large" ? "{}" : condenseArgs(args);
  const result = maskAndCut(
    outcomePreview(outcome)
      .replaceAll(/ \s+|[^\S ]\s*/g, " ")
      .trim(),
    maxResultLength,
  );
  return {
    tool: maskAndCut(entry?.tool.name ?? name, 64),
    ...(entry && { pack: maskAndCut(entry.facet, 200), mutates: entry.tool.mutates }),
    args: shownArgs === "{}" ? undefined : shownArgs,
    result: result || undefined,
    outcome: outcome.ok ? "ok" : outcome.failure.code,
    refused: isRefused || undefined,
    ms: Math.round(time.ms * 100) / 100,
    at: new Date(time.began).toISOString(),
    caller: principal || undefined,
    session: shownText(session, 200),
    batch: parent,
    goal: shownText(intent?.goal, maxIntentLength),
    memory: shownText(intent?.memory, maxIntentLength),
    constraints: shownText(intent?.constraints, maxIntentLength),
  };
}

function shownText(text: string | undefined, maxLength: number): string | undefined {
  return text === undefined ? undefined : maskAndCut(text, maxLength);
}

/** Three times the length in a trace: spaces are removed later, and some characters after the cut are checked for secrets. */
const maxPreviewLength = 1_200;

/** The beginning of the text that a caller read of an outcome. */
function outcomePreview(outcome: Outcome): string {
  const text = outcome.ok ? outcome.text : outcome.failure.message;
  const shown = text !== "" ? text : (outcome.blocks ?? []).map(blockText).join(" ");
  return shown.slice(0, maxPreviewLength);
}

function blockText(block: { readonly type: string; readonly text?: unknown }): string {
  return typeof block.text === "string" ? block.text.slice(0, maxPreviewLength) : `[${block.type}]`;
}

/** Arguments as JSON of at most `maxArgsLength` characters, with secrets masked. */
export function condenseArgs(args: unknown): string {
  const json = JSON.stringify(condense(args, { depth: 0, left: maxArgsLength })) ?? "";
  return json.length > maxArgsLength ? `${json.slice(0, maxArgsLength - 1).toWellFormed()}…` : json;
}

/** `left` is the number of characters that can still be shown. Values after them are not read. */
interface Condensing {
  depth: number;
  left: number;
}

function condense(value: unknown, state: Condensing): unknown {
  state.left -= 1;
  if (typeof value === "string") return condenseText(value, maxStringLength, state);
  if (value === null || typeof value !== "object") return value;
  if (state.depth >= maxDepth) return "…";
  state.depth += 1;
  const shown = Array.isArray(value) ? condenseList(value, state) : condenseFields(value, state);
  state.depth -= 1;
  return shown;
}

function condenseText(text: string, maxLength: number, state: Condensing): string {
  const shown = maskAndCut(text, maxLength);
  state.left -= shown.length;
  return shown;
}

function condenseList(list: readonly unknown[], state: Condensing): unknown {
  const shown: unknown[] = [];
  for (const [at, item] of list.slice(0, maxItems).entries()) {
    if (state.left < 0) break;
    shown.push(maskArgument(list[at - 1], item) ?? condense(item, state));
  }
  return list.length > maxItems ? [...shown, `… ${list.length - maxItems} more`] : shown;
}

function condenseFields(value: object, state: Condensing): unknown {
  const shown: [string, unknown][] = [];
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (state.left < 0 || shown.length >= maxItems) {
      shown.push(["…", "more"]);
      break;
    }
    const inner: unknown = Reflect.get(value, name);
    const label = condenseText(name, 100, state);
    shown.push([label, isSecretField(value, name) ? secretMask : condense(inner, state)]);
  }
  return Object.fromEntries(shown);
}
