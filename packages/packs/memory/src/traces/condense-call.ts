import type { Intent } from "@toolpacks/core";
import { isSecretField, maskArgument, maskText, secretMask } from "@toolpacks/core/mask-secrets";
import type { z } from "zod";
import type { trace } from "./trace.ts";

const maxArgsLength = 2_000;
const maxStringLength = 500;
const maxResultLength = 400;
const maxIntentLength = 1_000;
const maxItems = 40;
const deepest = 6;

/** What is held of a call that has ended: no more than its trace is made of, since many may be held for some time. */
export interface EndedCall {
  readonly workspace: string;
  readonly tool: string;
  readonly args: unknown;
  readonly intent: Intent | undefined;
  /** `ok`, or the failure's code. */
  readonly outcome: string;
  /** What the caller read, not all of it. */
  readonly said: string;
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
export function condenseCall(ended: EndedCall) {
  const { tool, intent, outcome, began, ms } = ended;
  const args = condenseArgs(ended.args);
  const result = plain(ended.said.replaceAll(/ \s+|[^\S ]\s*/g, " ").trim(), maxResultLength);
  return {
    tool,
    ...(args !== "{}" && { args }),
    ...(result !== "" && { result }),
    outcome,
    ms: Math.round(ms * 100) / 100,
    at: new Date(began).toISOString(),
    ...(intent && {
      session: plain(intent.sessionId, 200),
      goal: plain(intent.goal, maxIntentLength),
      memory: plain(intent.memory, maxIntentLength),
      ...(intent.constraints !== undefined && { constraints: plain(intent.constraints, maxIntentLength) }),
    }),
  };
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
  return json.length > maxArgsLength ? `${json.slice(0, maxArgsLength - 1).toWellFormed()}…` : json;
}

function condense(value: unknown, depth: number): unknown {
  if (typeof value === "string") return plain(value, maxStringLength);
  if (value === null || typeof value !== "object") return value;
  if (depth >= deepest) return "…";
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.slice(0, maxItems);
    const shown = items.map((item, at) => maskArgument(items[at - 1], item) ?? condense(item, depth + 1));
    return value.length > maxItems ? [...shown, `… ${value.length - maxItems} more`] : shown;
  }
  const shown: [string, unknown][] = [];
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (shown.length >= maxItems) {
      shown.push(["…", "more"]);
      break;
    }
    const inner: unknown = Reflect.get(value, name);
    shown.push([plain(name, 100), isSecretField(value, name) ? secretMask : condense(inner, depth + 1)]);
  }
  return Object.fromEntries(shown);
}
