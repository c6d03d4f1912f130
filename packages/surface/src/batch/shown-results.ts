import type { ContentBlock, ErrorCode, ResourceLink, ResultMeta } from "@toolpacks/core";
import { fairShare, itemCount, jsonSize, textOfResult } from "@toolpacks/expressions";
import type { BatchResult } from "./batch.ts";
import { nameOf, type EndedCall } from "./run-batch.ts";

/** The result of one call of a batch, as its answer shows it. */
export interface ShownResult {
  readonly id: string;
  readonly tool: string;
  readonly status: BatchResult["status"];
  /** Whether its tool changes nothing. */
  readonly isReadOnly: boolean;
  /** How many items of a list are shown: `27 of 40`. If the result is left out: its size, its handle, and its items. */
  readonly about?: string | undefined;
  readonly value?: unknown;
  /** Undefined if the result is left out, or the call has not reached its tool. */
  readonly blocks?: readonly ContentBlock[];
  readonly links?: readonly ResourceLink[];
  readonly meta?: ResultMeta;
  readonly code?: ErrorCode;
  /** Why it failed or did not run. */
  readonly reason?: string;
  readonly hint?: string;
}

/** Maximum characters of all texts of a batch's answer together. */
const maxLength = 60_000;
/** Maximum characters of a result that is shown though a later call has received it: about what asking again costs. */
const maxPassedLength = 800;

/**
 * Shows the results of a batch within one limit. A result that a later call has received is left out, unless its call names fields to
 * show, or may have changed something and cannot be repeated. Then the longest texts are cut.
 */
export function shownResults(calls: readonly EndedCall[]): readonly ShownResult[] {
  const passed = new Set(calls.flatMap(({ status, references }) => (status === "succeeded" ? references : [])));
  const shown = calls.map((ended) => {
    const one = shownResult(ended);
    const { show, fields } = ended.call;
    const isPassed = passed.has(one.id) && textOf(one).length > maxPassedLength;
    const isShown = show ?? (!isPassed || !one.isReadOnly || fields !== undefined);
    return isShown || one.status !== "succeeded" ? one : leaveOut(one, ended);
  });
  const share = fairShare(
    shown.flatMap(({ blocks = [] }) => blocks.map(lengthOf)),
    maxLength,
  );
  return shown.map((one) => {
    const text = textOf(one);
    return { ...cutAll(one, share), about: one.about ?? itemCount({ text }, text, share) };
  });
}

function shownResult({ id, call, outcome, status, code, reason, hint }: EndedCall): ShownResult {
  const { target } = call;
  const isReadOnly = "tool" in target && !target.tool.mutates;
  const { blocks, meta } = outcome ?? {};
  const shown = { id, tool: nameOf(call), status, isReadOnly, code, reason, hint, blocks, meta };
  if (outcome?.ok !== true) return shown;
  const { text, links, value, notice } = outcome;
  return { ...shown, blocks: blocks ?? [{ type: "text", text }], links, value, hint: notice };
}

/** A result in one line: its items, its size, and its handle if the relay has kept it. */
function leaveOut(one: ShownResult, { referenced, outcome }: EndedCall): ShownResult {
  const { blocks: _blocks, links, value, ...rest } = one;
  const text = textOf(one);
  const whole = referenced ?? value ?? { text };
  const handle = links?.[0]?.uri ?? (outcome?.ok === true ? outcome.handle : undefined);
  const characters = textOfResult(whole)?.length ?? jsonSize(whole, Infinity);
  const size = `${characters.toLocaleString("en")} characters`;
  const about = [size, handle, itemCount(whole, "", 0)].filter((fact) => fact !== undefined).join(", ");
  return { ...rest, about };
}

function textOf({ blocks = [] }: ShownResult): string {
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
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
