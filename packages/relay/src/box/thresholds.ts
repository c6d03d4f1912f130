import { estimateTokens, type ContentBlock, type Outcome } from "@toolpacks/core";
import { withoutContent } from "./without-content.ts";

/** The size from which a text is boxed: in bytes, or in estimated tokens. `false`: never. */
export type Threshold = number | { readonly tokens: number } | false;

/** Settings that say which results are boxed. */
export interface ThresholdSettings {
  /** Threshold of texts. Default 16,384 bytes. */
  readonly threshold?: Threshold;
  /** Thresholds by tool name. */
  readonly tools?: Readonly<Record<string, Threshold>>;
  /** Threshold of all images and sounds of a result in bytes. Default 1 MiB. */
  readonly mediaThreshold?: number;
}

/** The settings with defaults filled in. */
export interface Thresholds {
  readonly threshold: Threshold;
  /** Thresholds by tool name. */
  readonly tools: Readonly<Record<string, Threshold>>;
  /** Threshold of all images and sounds of a result in bytes. Clients do not pass these to a model as text, so it is larger. */
  readonly media: number;
}

const defaultThreshold = 16_384;
const defaultMedia = 1024 * 1024;

export function thresholdsOf({ threshold, tools, mediaThreshold }: ThresholdSettings): Thresholds {
  return { threshold: threshold ?? defaultThreshold, tools: tools ?? {}, media: mediaThreshold ?? defaultMedia };
}

/** By the token estimate, a token is 1 to 12 characters long. */
const maxTokenLength = 12;
const maxTokensPerCharacter = 1;
const maxBytesPerCharacter = 3;

/** Whether a text of this length may be over a threshold. False when it certainly is not. */
export function mayBeOver(characters: number, threshold: Threshold): boolean {
  if (threshold === false) return false;
  return typeof threshold === "number"
    ? characters * maxBytesPerCharacter > threshold
    : characters * maxTokensPerCharacter > threshold.tokens;
}

/** Whether a text is over a threshold. Mostly decided by its length alone. */
export function isOver(text: string, threshold: Threshold): boolean {
  if (threshold === false || !mayBeOver(text.length, threshold)) return false;
  if (typeof threshold === "number") return text.length > threshold || Buffer.byteLength(text) > threshold;
  const { tokens } = threshold;
  return text.length > tokens * maxTokenLength || estimateTokens(text) > tokens;
}

export function thresholdOf(thresholds: Thresholds, tool: string): Threshold {
  return Object.hasOwn(thresholds.tools, tool) ? (thresholds.tools[tool] ?? false) : thresholds.threshold;
}

interface PrecheckOptions {
  readonly thresholds: Thresholds;
  readonly tool: string;
  /** Whether the caller sees the structured value and not only the text. */
  readonly withValue: boolean;
}

/** A cheap check of an outcome. False when certainly nothing in it is large. */
export function canBeLarge(outcome: Outcome, { thresholds, tool, withValue }: PrecheckOptions): boolean {
  const threshold = thresholdOf(thresholds, tool);
  if (threshold === false) return false;
  const { blocks } = outcome;
  if (blocks !== undefined && areLarge(blocks, threshold, thresholds.media)) return true;
  if (!outcome.ok) return false;
  if (mayBeOver(outcome.text.length, threshold)) return true;
  return withValue && outcome.value !== undefined && isLongJson(outcome.value, threshold);
}

function areLarge(blocks: readonly ContentBlock[], threshold: Threshold, maxMedia: number): boolean {
  let characters = 0;
  let media = 0;
  for (const block of blocks) {
    if (block.type === "image" || block.type === "audio") media += block.data.length;
    else characters += contentLength(block);
    characters += jsonLength(withoutContent(block), threshold);
    if (media > maxMedia || mayBeOver(characters, threshold)) return true;
  }
  return false;
}

function contentLength(block: ContentBlock): number {
  if (block.type === "text") return block.text.length;
  if (block.type !== "resource") return 0;
  return ("text" in block.resource ? block.resource.text : block.resource.blob).length;
}

function isLongJson(value: unknown, threshold: Threshold): boolean {
  return mayBeOver(jsonLength(value, threshold), threshold);
}

/** Estimates the length of a value's JSON. Stops when it may be over the threshold. */
function jsonLength(value: unknown, threshold: Threshold): number {
  let length = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && !mayBeOver(length, threshold)) {
    const next = open.pop();
    if (typeof next === "string") length += next.length + 4;
    else if (next === null || typeof next !== "object") length += 8;
    else {
      const isList = Array.isArray(next);
      for (const [name, inner] of Object.entries(next)) {
        length += isList ? 1 : name.length + 4;
        open.push(inner);
      }
    }
  }
  return length;
}
