import { estimateTokens } from "@toolpacks/core";

/** How large a text must be to be kept apart: bytes, or tokens as estimated. `false`: however large, it is not. */
export type Threshold = number | { readonly tokens: number } | false;

export interface Thresholds {
  readonly threshold: Threshold;
  /** By tool name, in place of the threshold. */
  readonly tools: Readonly<Record<string, Threshold>>;
  /** Of images and sound, in bytes: a client shows these to its model by other means than as text. */
  readonly media: number;
}

/** A token is rarely longer, and never shorter than a fourth of a character. */
const longestToken = 12;
const mostTokensPerCharacter = 4;

/** Whether a text is over a threshold. Most are told by their length alone. */
export function isOver(text: string, threshold: Threshold): boolean {
  if (threshold === false) return false;
  if (typeof threshold === "number") {
    if (text.length > threshold) return true;
    return text.length * 3 > threshold && Buffer.byteLength(text) > threshold;
  }
  const { tokens } = threshold;
  if (text.length * mostTokensPerCharacter <= tokens) return false;
  return text.length > tokens * longestToken || estimateTokens(text) > tokens;
}

export function thresholdOf(thresholds: Thresholds, tool: string): Threshold {
  return Object.hasOwn(thresholds.tools, tool) ? (thresholds.tools[tool] ?? false) : thresholds.threshold;
}
