import { type Intent, isSecretField, maskArgument, secretMask } from "@toolpacks/core";
import { maskAndCut } from "../masked-text.ts";

const maxArgsLength = 2_000;
const maxStringLength = 500;
const maxResultLength = 400;
const maxIntentLength = 1_000;
const maxItems = 40;
const maxDepth = 6;

/** What the queue keeps of a call for its trace. It refers to no part of the call's own arguments and result, which may be large. */
export interface HeldCall {
  readonly args: HeldArgs;
  readonly intent: Intent | undefined;
  /** The beginning of what the caller read. */
  readonly preview: string;
}

/** Arguments of an ended call: their JSON if it is short, else what the trace shows of them. */
export type HeldArgs = { readonly json: string } | { readonly condensed: string };

/** An ended call in the queue. */
export interface EndedCall extends HeldCall {
  /** The tool's name. Of an unknown tool, the name in the call. */
  readonly tool: string;
  /** The tool's pack or server. Undefined: the tool is unknown. */
  readonly pack: string | undefined;
  readonly mutates: boolean | undefined;
  /** `ok`, or the failure's code. */
  readonly outcome: string;
  /** Whether dispatch refused the call, so that its tool did not run. */
  readonly isRefused: boolean;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly ms: number;
  /** The caller's principal. */
  readonly principal: string;
  readonly session: string | undefined;
  /** The id of the call that made this one, such as a batch. */
  readonly batch: string | undefined;
}

/** The trace of a call: long values are cut, secrets are masked. */
export function condenseCall(ended: EndedCall) {
  const { tool, pack, mutates, intent, outcome, isRefused, began, ms, principal, session, batch } = ended;
  const args = "json" in ended.args ? condenseArgs(JSON.parse(ended.args.json)) : ended.args.condensed;
  const result = maskAndCut(ended.preview.replaceAll(/ \s+|[^\S ]\s*/g, " ").trim(), maxResultLength);
  return {
    tool: maskAndCut(tool, 64),
    ...(pack !== undefined && { pack: maskAndCut(pack, 200) }),
    ...(mutates !== undefined && { mutates }),
    ...(args !== "{}" && { args }),
    ...(result !== "" && { result }),
    outcome,
    ...(isRefused && { refused: true }),
    ms: Math.round(ms * 100) / 100,
    at: new Date(began).toISOString(),
    ...(principal !== "" && { caller: principal }),
    ...(session !== undefined && { session: maskAndCut(session, 200) }),
    ...(batch !== undefined && { batch }),
    ...(intent && {
      goal: maskAndCut(intent.goal, maxIntentLength),
      memory: maskAndCut(intent.memory, maxIntentLength),
      ...(intent.constraints !== undefined && { constraints: maskAndCut(intent.constraints, maxIntentLength) }),
    }),
  };
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
