import type { ContentBlock, ErrorCode, ResourceLink, ResultMeta } from "@toolpacks/core";
import { fairShare } from "@toolpacks/expressions";
import type { BatchResult } from "./batch.ts";
import { nameOf, type CheckedCall } from "./run-batch.ts";

/** The result of one call of a batch, as its answer shows it. */
export interface ShownResult {
  readonly id: string;
  readonly tool: string;
  readonly status: BatchResult["status"];
  /** Set if its tool changes nothing. */
  readonly isReadOnly?: true;
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
export function shownResults(calls: readonly CheckedCall[], results: readonly BatchResult[]): readonly ShownResult[] {
  const usedBy = (hasSucceeded: boolean) =>
    new Set(
      calls.flatMap(({ template }, at) =>
        (results[at]?.status === "succeeded") === hasSucceeded ? (template?.references ?? []) : [],
      ),
    );
  const passed = usedBy(true);
  const needed = usedBy(false);
  const shown = calls.flatMap((call, at) =>
    results.slice(at, at + 1).map((result) => shownResult(call, result, needed)),
  );
  const shortened = shown.map((one) => (passed.has(one.id) ? cutAll(one, maxPassedLength) : one));
  const share = fairShare(
    shortened.flatMap(({ blocks = [] }) => blocks.map(lengthOf)),
    maxLength,
  );
  return shortened.map((one) => cutAll(one, share));
}

function shownResult({ id, call }: CheckedCall, result: BatchResult, needed: ReadonlySet<string>): ShownResult {
  const { outcome, referenced, status, code, reason, hint } = result;
  const { target } = call;
  const isNeeded = status === "succeeded" && needed.has(id) && referenced !== undefined;
  return {
    id,
    tool: nameOf(call),
    status,
    ...("tool" in target && !target.tool.mutates && { isReadOnly: true }),
    ...(code && { code }),
    reason,
    hint,
    ...(outcome?.blocks && { blocks: outcome.blocks }),
    ...(outcome?.meta && { meta: outcome.meta }),
    ...(outcome?.ok === true && {
      blocks: outcome.blocks ?? [{ type: "text" as const, text: outcome.text }],
      links: outcome.links,
      value: outcome.value,
      hint: outcome.notice,
    }),
    ...(isNeeded && { needed: (JSON.stringify(referenced) ?? "").slice(0, maxNeededLength).toWellFormed() }),
  };
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
