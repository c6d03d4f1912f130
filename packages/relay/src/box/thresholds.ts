import { estimateTokens } from "@toolpacks/core";

/** How large a text must be to be kept apart: bytes, or tokens as estimated. `false`: however large, it is not. */
export type Threshold = number | { readonly tokens: number } | false;

/** Which results are kept apart. */
export interface ThresholdSettings {
  /** How large a text must be. Default 16,384 bytes. */
  readonly threshold?: Threshold;
  /** By tool name, in place of the threshold. */
  readonly tools?: Readonly<Record<string, Threshold>>;
  /** How large an image or sound must be, in bytes. Default 1 MiB: smaller ones go to the model as they are. */
  readonly mediaThreshold?: number;
}

/** The same with the defaults. */
export interface Thresholds {
  readonly threshold: Threshold;
  /** By tool name, in place of the threshold. */
  readonly tools: Readonly<Record<string, Threshold>>;
  /** Of images and sound, in bytes: a client shows these to its model by other means than as text. */
  readonly media: number;
}

const defaultThreshold = 16_384;
const defaultMedia = 1024 * 1024;

export function thresholdsOf({ threshold, tools, mediaThreshold }: ThresholdSettings): Thresholds {
  return { threshold: threshold ?? defaultThreshold, tools: tools ?? {}, media: mediaThreshold ?? defaultMedia };
}

/** No text has more tokens than characters, as they are estimated, and hardly any fewer than a twelfth. */
const maxTokenLength = 12;
const maxTokensPerCharacter = 1;
const maxBytesPerCharacter = 3;

/** Whether a text of so many characters may be over a threshold: false where it surely is not. */
export function mayBeOver(characters: number, threshold: Threshold): boolean {
  if (threshold === false) return false;
  return typeof threshold === "number"
    ? characters * maxBytesPerCharacter > threshold
    : characters * maxTokensPerCharacter > threshold.tokens;
}

/** Whether a text is over a threshold. Most are told by their length alone. */
export function isOver(text: string, threshold: Threshold): boolean {
  if (threshold === false || !mayBeOver(text.length, threshold)) return false;
  if (typeof threshold === "number") return text.length > threshold || Buffer.byteLength(text) > threshold;
  const { tokens } = threshold;
  return text.length > tokens * maxTokenLength || estimateTokens(text) > tokens;
}

export function thresholdOf(thresholds: Thresholds, tool: string): Threshold {
  return Object.hasOwn(thresholds.tools, tool) ? (thresholds.tools[tool] ?? false) : thresholds.threshold;
}
