import { estimateTokens, measure, type Outcome } from "@toolpacks/core";

/** The size from which a text is boxed, in estimated tokens. `false`: never. */
export type Threshold = number | false;

/** Settings that say which results are boxed. */
export interface ThresholdSettings {
  /** Threshold of texts in tokens. Default 4,000. */
  readonly thresholdTokens?: Threshold;
  /** Thresholds by tool name, in tokens. */
  readonly toolThresholdTokens?: Readonly<Record<string, Threshold>>;
  /** Threshold of all images and sounds of a result in bytes. Default 1 MiB. */
  readonly mediaThreshold?: number;
}

const defaultThreshold = 4_000;

/** The threshold of a tool's results. */
export function thresholdOf({ thresholdTokens, toolThresholdTokens = {} }: ThresholdSettings, tool: string): Threshold {
  const own = Object.hasOwn(toolThresholdTokens, tool) ? toolThresholdTokens[tool] : undefined;
  return own ?? thresholdTokens ?? defaultThreshold;
}

/** Default threshold of images and sounds. Clients do not pass these to a model as text, so it is larger. */
export const defaultMedia = 1024 * 1024;

/** Maximum length of a token. A longer text has more tokens than the threshold, whatever its estimate. */
const maxTokenLength = 12;

/** Whether a text of this length may be over a threshold. False when it certainly is not: a token has at least one character. */
export function mayBeOver(characters: number, threshold: Threshold): boolean {
  return threshold !== false && characters > threshold;
}

/** Whether a text is over a threshold. A short or long text is decided by its length alone. */
export function isOver(text: string, threshold: Threshold): boolean {
  if (threshold === false || !mayBeOver(text.length, threshold)) return false;
  return text.length > threshold * maxTokenLength || estimateTokens(text) > threshold;
}

/** Maximum of `_meta["anthropic/maxResultSizeChars"]` that clients accept. */
const maxResultSizeChars = 500_000;

/**
 * Maximum characters of a result that is not boxed, for `_meta["anthropic/maxResultSizeChars"]`: its texts together and its
 * references together are each within the threshold.
 *
 * @param tool the tool of the result. Undefined for a tool that calls any other.
 */
export function maxResultCharacters(settings: ThresholdSettings, tool?: string): number {
  const { thresholdTokens = defaultThreshold, toolThresholdTokens = {} } = settings;
  const all =
    tool === undefined ? [thresholdTokens, ...Object.values(toolThresholdTokens)] : [thresholdOf(settings, tool)];
  const characters = all.map((tokens) => (tokens === false ? maxResultSizeChars : 2 * maxTokenLength * tokens));
  return Math.min(maxResultSizeChars, Math.max(...characters));
}

interface PrecheckOptions {
  readonly settings: ThresholdSettings;
  readonly tool: string;
  /** Whether the caller sees the structured value and not only the text. */
  readonly withValue: boolean;
}

/** A cheap check of an outcome. False when certainly nothing in it is large. */
export function canBeLarge(outcome: Outcome, { settings, tool, withValue }: PrecheckOptions): boolean {
  const threshold = thresholdOf(settings, tool);
  if (threshold === false) return false;
  const isBeyond = (value: unknown, maxCharacters: number) =>
    value !== undefined && measure(value, { maxCharacters }).exceeded !== undefined;
  if (isBeyond(outcome.blocks, Math.min(threshold, settings.mediaThreshold ?? defaultMedia))) return true;
  if (!outcome.ok) return false;
  return mayBeOver(outcome.text.length, threshold) || (withValue && isBeyond(outcome.value, threshold));
}
