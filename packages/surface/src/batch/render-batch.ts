import { failedReply, reply, type ContentBlock, type Reply } from "@toolpacks/core";
import type { ShownResult } from "./shown-results.ts";

interface BatchAnswer {
  readonly results: readonly ShownResult[];
  /** Stands before the counts. */
  readonly heading?: string;
  /** Fields of the structured content besides the results. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** A line at the end. */
  readonly notice?: string | undefined;
}

/**
 * Renders one line for each call, in their order, with the content of its tool in blocks of its own.
 *
 * The reply is a failure if a call did not run, if a call that may change something failed, or if none succeeded. If only calls that change nothing failed, the first line and their own lines say so.
 */
export function renderBatch({ results, heading = "", fields = {}, notice }: BatchAnswer): Reply {
  const meta = results.length === 1 ? results[0]?.meta : undefined;
  const count = (status: ShownResult["status"]) => results.filter((one) => one.status === status).length;
  const counts = (["succeeded", "failed", "not_run"] as const)
    .filter((status) => count(status) > 0)
    .map((status) => `${count(status)} ${status}`);
  const blocks: ContentBlock[] = [
    text(`${heading}${counts.join(", ")}`),
    ...results.flatMap((result) => [text(headingOf(result)), ...(result.blocks ?? [])]),
  ];
  const isLeftOut = results.some((one) => one.status === "succeeded" && one.blocks === undefined);
  const showing = isLeftOut ? '"show": true on a call shows what is left out.' : undefined;
  const notices = [showing, notice].filter((line) => line !== undefined);
  const structured = { ...fields, results: results.map(structuredResult) };
  const failed = firstFailure(results);
  if (failed !== undefined) {
    const { code = "cancelled", reason = "a call failed" } = failed;
    const all = [...blocks, ...goOn(results), ...notices.map(text)];
    return { ...failedReply(all, { code, message: `${failed.tool}: ${reason}` }, structured), meta };
  }
  const links = results.flatMap((result) => result.links ?? []);
  return { ...reply(blocks, structured, links), notice: notices.join("\n") || undefined, meta };
}

/** The call because of which the batch is a failure. */
function firstFailure(results: readonly ShownResult[]): ShownResult | undefined {
  const isHarmless = ({ status, isReadOnly }: ShownResult) =>
    status === "succeeded" || (status === "failed" && isReadOnly);
  const hasSuccess = results.some(({ status }) => status === "succeeded");
  if (hasSuccess && results.every(isHarmless)) return undefined;
  return results.find(({ status }) => status === "failed") ?? results.find(({ status }) => status === "not_run");
}

function structuredResult({ id, tool, status, about, value, blocks, reason, hint }: ShownResult) {
  return { id, tool, status, about, value: value ?? blocks, reason, hint };
}

function headingOf({ id, tool, status, about, reason, hint }: ShownResult): string {
  const count = about === undefined ? "" : `, ${about}`;
  const line = `[${id}] ${tool}: ${status}${count}${reason === undefined ? "" : `: ${reason}`}`;
  return hint === undefined ? line : `${line}\n${hint}`;
}

/** What has finished. */
function goOn(results: readonly ShownResult[]): readonly ContentBlock[] {
  const finished = results.filter(({ status }) => status === "succeeded");
  if (finished.length === 0 || finished.length === results.length) return [];
  return [text(`To go on, leave out what succeeded (${finished.map(({ id }) => id).join(", ")}).`)];
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}
