import type { ContentBlock } from "@toolpacks/core";
import { fairShare } from "@toolpacks/workflows/batch";
import type { CallResult } from "./call-result.ts";

/** Maximum characters of all texts of a batch's answer together. */
const maxLength = 60_000;

/** Maximum characters of a text whose value a later call has received. */
const maxPassedLength = 600;

/** Cuts the texts of results whose values later calls have received. */
export function shortenPassed(results: readonly CallResult[], passed: ReadonlySet<string>): readonly CallResult[] {
  return results.map((result) => (passed.has(result.id) ? cutAll(result, maxPassedLength) : result));
}

/** Cuts the longest texts of a batch, so that all fit together. Shorter ones stay whole, and leave room for longer ones. */
export function shareLength(results: readonly CallResult[]): readonly CallResult[] {
  const lengths = results.flatMap(({ blocks = [] }) => blocks.map(lengthOf));
  const share = fairShare(lengths, maxLength);
  return results.map((result) => cutAll(result, share));
}

function cutAll(result: CallResult, share: number): CallResult {
  const { blocks } = result;
  if (blocks === undefined || blocks.every((block) => lengthOf(block) <= share)) return result;
  return { ...result, blocks: blocks.map((block) => cut(block, share)) };
}

function lengthOf(block: ContentBlock): number {
  return block.type === "text" ? block.text.length : 0;
}

function cut(block: ContentBlock, share: number): ContentBlock {
  if (block.type !== "text" || block.text.length <= share) return block;
  const shown = block.text.slice(0, share).toWellFormed();
  const more = (block.text.length - share).toLocaleString("en");
  return { type: "text", text: `${shown}\n… ${more} characters more. To see all of it, read it in a call of its own.` };
}
