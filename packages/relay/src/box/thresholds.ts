import { estimateTokens } from "@toolpacks/core";

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
