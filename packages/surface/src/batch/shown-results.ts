import type { ContentBlock, ErrorCode, ResourceLink, ResultMeta } from "@toolpacks/core";
import { fairShare } from "@toolpacks/expressions";
import type { BatchResult } from "./batch.ts";
import { nameOf, type EndedCall } from "./run-batch.ts";

/** The result of one call of a batch, as its answer shows it. */
export interface ShownResult {
  readonly id: string;
  readonly tool: string;
  readonly status: BatchResult["status"];
  /** Whether its tool changes nothing. */
  readonly isReadOnly: boolean;
  readonly value?: unknown;
  readonly blocks?: readonly ContentBlock[];
  readonly links?: readonly ResourceLink[];
  readonly meta?: ResultMeta;
  readonly code?: ErrorCode;
  /** Why it failed or did not run. */
  readonly reason?: string;
  readonly hint?: string;
  /** The start of its value's JSON, where a call that did not succeed refers to it. */
  readonly needed?: string;
}

/** Maximum characters of all texts of a batch's answer together. */
const maxLength = 60_000;
/** Maximum characters of a text whose value a later call has received. */
const maxPassedLength = 600;
/** Maximum characters of a value that a call needs which did not succeed. */
const maxNeededLength = 1_000;

/**
 * Shows the results of a batch within one limit. Only the start is shown of a text that a later call has received. Then the longest texts are cut.
 */
export function shownResults(calls: readonly EndedCall[]): readonly ShownResult[] {
  const usedBy = (hasSucceeded: boolean) => {
    const users = calls.filter(({ status }) => (status === "succeeded") === hasSucceeded);
    return new Set(users.flatMap(({ template }) => template?.references ?? []));
  };
  const passed = usedBy(true);
  const needed = usedBy(false);
  const shown = calls.map((one) => shownResult(one, needed));
  const shortened = shown.map((one) => (passed.has(one.id) ? cutAll(one, maxPassedLength) : one));
  const share = fairShare(
    shortened.flatMap(({ blocks = [] }) => blocks.map(lengthOf)),
    maxLength,
  );
  return shortened.map((one) => cutAll(one, share));
}

function shownResult(ended: EndedCall, neededIds: ReadonlySet<string>): ShownResult {
  const { id, call, outcome, referenced, status, code, reason, hint } = ended;
  const { target } = call;
  const isNeeded = status === "succeeded" && neededIds.has(id) && referenced !== undefined;
  const needed = isNeeded ? (JSON.stringify(referenced) ?? "").slice(0, maxNeededLength).toWellFormed() : undefined;
  const isReadOnly = "tool" in target && !target.tool.mutates;
  const { blocks, meta } = outcome ?? {};
  const shown = { id, tool: nameOf(call), status, isReadOnly, code, reason, hint, blocks, meta, needed };
  if (outcome?.ok !== true) return shown;
  const { text, links, value, notice } = outcome;
  return { ...shown, blocks: blocks ?? [{ type: "text", text }], links, value, hint: notice };
}

function cutAll(result: ShownResult, max: number): ShownResult {
  const { blocks } = result;
  if (blocks === undefined || blocks.every((block) => lengthOf(block) <= max)) return result;
  return { ...result, blocks: blocks.map((block) => cut(block, max)) };
}

function lengthOf(block: ContentBlock): number {
  return block.type === "text" ? block.text.length : 0;
}

function cut(block: ContentBlock, max: number): ContentBlock {
  if (block.type !== "text" || block.text.length <= max) return block;
  const shown = block.text.slice(0, max).toWellFormed();
  const more = (block.text.length - max).toLocaleString("en");
  return { type: "text", text: `${shown}\n… ${more} characters more. To see all of it, read it in a call of its own.` };
}
