import type { Call, Outcome } from "@toolpacks/core";
import type { z } from "zod";
import type { trace } from "./trace.ts";
import { isSecretName, maskText, secretMask } from "./mask-secrets.ts";

const longestArgs = 2_000;
const longestString = 500;
const longestResult = 400;
const longestIntent = 1_000;
const mostItems = 40;
const deepest = 6;

/** A call that has ended, as the interceptor saw it. */
export interface EndedCall {
  readonly workspace: string;
  readonly call: Call;
  readonly outcome: Outcome;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly ms: number;
  /** The store's, when the call had ended; undefined where the store cannot say. */
  readonly storeGeneration: Promise<number | undefined>;
}

/** A trace to be put. */
export interface TraceRecord {
  readonly id: string;
  readonly record: z.input<typeof trace.schema>;
}

/** A call as a trace keeps it: nothing long, nothing secret. */
export function condenseCall({ call, outcome, began, ms }: EndedCall) {
  const { intent } = call.context;
  const args = condenseArgs(call.args);
  const result = resultLine(outcome);
  return {
    tool: call.tool.name,
    ...(args !== "{}" && { args }),
    ...(result !== "" && { result }),
    outcome: outcome.ok ? "ok" : outcome.failure.code,
    ms: Math.round(ms * 100) / 100,
    at: new Date(began).toISOString(),
    ...(intent && {
      session: plain(intent.sessionId, 200),
      goal: plain(intent.goal, longestIntent),
      memory: plain(intent.memory, longestIntent),
      ...(intent.constraints !== undefined && { constraints: plain(intent.constraints, longestIntent) }),
    }),
  };
}

function resultLine(outcome: Outcome): string {
  const said = outcome.ok ? outcome.text : outcome.failure.message;
  const shown = said !== "" ? said : (outcome.blocks ?? []).map(blockText).join(" ");
  return plain(
    shown
      .slice(0, longestResult * 3)
      .replaceAll(/ \s+|[^\S ]\s*/g, " ")
      .trim(),
    longestResult,
  );
}

function blockText(block: { readonly type: string; readonly text?: unknown }): string {
  return typeof block.text === "string" ? block.text.slice(0, longestResult) : `[${block.type}]`;
}

/** So much behind the cut tells what a secret is that begins before it: its first letters alone have no shape to be known by. */
const context = 200;

function plain(text: string, longest: number): string {
  const masked = maskText(storable(text.slice(0, longest + context)));
  return masked.length > longest ? `${masked.slice(0, longest - 1).toWellFormed()}…` : masked;
}

/** No store holds U+0000 or half a surrogate pair in a text. */
function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** Arguments as JSON, however large and deep they are. */
export function condenseArgs(args: unknown): string {
  const json = JSON.stringify(condense(args, 0)) ?? "";
  return json.length > longestArgs ? `${json.slice(0, longestArgs - 1).toWellFormed()}…` : json;
}

function condense(value: unknown, depth: number): unknown {
  if (typeof value === "string") return plain(value, longestString);
  if (value === null || typeof value !== "object") return value;
  if (depth >= deepest) return "…";
  if (Array.isArray(value)) {
    const shown = value.slice(0, mostItems).map((item) => condense(item, depth + 1));
    return value.length > mostItems ? [...shown, `… ${value.length - mostItems} more`] : shown;
  }
  const shown: [string, unknown][] = [];
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (shown.length >= mostItems) {
      shown.push(["…", "more"]);
      break;
    }
    const inner: unknown = Reflect.get(value, name);
    shown.push([plain(name, 100), isSecretName(name, inner) ? secretMask : condense(inner, depth + 1)]);
  }
  return Object.fromEntries(shown);
}
