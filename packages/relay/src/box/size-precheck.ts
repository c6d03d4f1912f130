import type { ContentBlock, Outcome } from "@toolpacks/core";
import { withoutContent } from "./without-content.ts";
import { mayBeOver, thresholdOf, type Threshold, type Thresholds } from "./thresholds.ts";

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
