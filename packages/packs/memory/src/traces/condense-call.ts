import type { Intent } from "@toolpacks/core";
import { isSecretField, maskArgument, maskText, secretMask } from "@toolpacks/core/mask-secrets";
import type { z } from "zod";
import type { trace } from "./trace.ts";

const maxArgsLength = 2_000;
const maxStringLength = 500;
const maxResultLength = 400;
const maxIntentLength = 1_000;
const maxItems = 40;
const maxDepth = 6;

/** An ended call in the queue. It has only what its trace needs, because many calls may wait in memory. */
export interface EndedCall {
  readonly workspace: string;
  readonly tool: string;
  readonly args: unknown;
  readonly intent: Intent | undefined;
  /** `ok`, or the failure's code. */
  readonly outcome: string;
  /** The beginning of what the caller read. */
  readonly preview: string;
  /** Milliseconds since 1970. */
  readonly began: number;
  readonly ms: number;
  /** The store's generation at the end of the call; undefined if the store cannot be read. */
  readonly storeGeneration: Promise<number | undefined>;
}

/** A trace to write. */
export interface TraceRecord {
  readonly id: string;
  readonly record: z.input<typeof trace.schema>;
}

/** The trace of a call: long values are cut, secrets are masked. */
export function condenseCall(ended: EndedCall) {
  const { tool, intent, outcome, began, ms } = ended;
  const args = condenseArgs(ended.args);
  const result = maskAndCut(ended.preview.replaceAll(/ \s+|[^\S ]\s*/g, " ").trim(), maxResultLength);
  return {
    tool,
    ...(args !== "{}" && { args }),
    ...(result !== "" && { result }),
    outcome,
    ms: Math.round(ms * 100) / 100,
    at: new Date(began).toISOString(),
    ...(intent && {
      session: maskAndCut(intent.sessionId, 200),
      goal: maskAndCut(intent.goal, maxIntentLength),
      memory: maskAndCut(intent.memory, maxIntentLength),
      ...(intent.constraints !== undefined && { constraints: maskAndCut(intent.constraints, maxIntentLength) }),
    }),
  };
}

/** Characters after the cut that are also checked for secrets. The beginning of a secret alone does not match a pattern. */
const maskLookahead = 200;

function maskAndCut(text: string, maxLength: number): string {
  const masked = maskText(storable(text.slice(0, maxLength + maskLookahead)));
  return masked.length > maxLength ? `${masked.slice(0, maxLength - 1).toWellFormed()}…` : masked;
}

/** Removes U+0000 and lone surrogates, which no store accepts in a text. */
function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

/** Arguments as JSON of at most `maxArgsLength` characters, with secrets masked. */
export function condenseArgs(args: unknown): string {
  const json = JSON.stringify(condense(args, 0)) ?? "";
  return json.length > maxArgsLength ? `${json.slice(0, maxArgsLength - 1).toWellFormed()}…` : json;
}

function condense(value: unknown, depth: number): unknown {
  if (typeof value === "string") return maskAndCut(value, maxStringLength);
  if (value === null || typeof value !== "object") return value;
  if (depth >= maxDepth) return "…";
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
    shown.push([maskAndCut(name, 100), isSecretField(value, name) ? secretMask : condense(inner, depth + 1)]);
  }
  return Object.fromEntries(shown);
}
