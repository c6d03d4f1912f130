import type { ContentBlock, Outcome } from "@toolpacks/core";
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

function areLarge(blocks: readonly ContentBlock[], threshold: Threshold, media: number): boolean {
  let characters = 0;
  for (const block of blocks) {
    if (block.type === "text") characters += block.text.length;
    else if (block.type === "resource")
      characters += ("text" in block.resource ? block.resource.text : block.resource.blob).length;
    else if (block.type !== "resource_link" && block.data.length > media) return true;
  }
  return mayBeOver(characters, threshold);
}

/** Estimates the length of a value's JSON. Stops when it may be over the threshold. */
function isLongJson(value: unknown, threshold: Threshold): boolean {
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
  return mayBeOver(length, threshold);
}
