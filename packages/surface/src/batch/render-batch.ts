import { failedReply, reply, type ContentBlock, type Reply } from "@toolpacks/core";
import type { CallResult } from "./call-result.ts";

interface BatchAnswer {
  readonly results: readonly CallResult[];
  /** Stands before the counts. */
  readonly heading?: string;
  /** Fields of the structured content besides the results. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** A line at the end. */
  readonly notice?: string | undefined;
}

/** Renders one line for each call, in their order, with the content of its tool in blocks of its own. A single call passes on the `_meta` of its result. */
export function renderBatch(answer: BatchAnswer): Reply {
  const meta = answer.results.length === 1 ? answer.results[0]?.meta : undefined;
  return { ...render(answer), ...(meta && { meta }) };
}

function render({ results, heading = "", fields = {}, notice }: BatchAnswer): Reply {
  const count = (status: CallResult["status"]) => results.filter((one) => one.status === status).length;
  const counts = (["succeeded", "failed", "not_run"] as const)
    .filter((status) => count(status) > 0)
    .map((status) => `${count(status)} ${status}`);
  const blocks: ContentBlock[] = [
    text(`${heading}${counts.join(", ")}`),
    ...results.flatMap((result) => [text(headingOf(result)), ...(result.blocks ?? [])]),
    ...goOn(results),
  ];
  const structured = { ...fields, results: results.map(structuredResult) };
  const open = results.find(({ status }) => status === "failed") ?? results.find(({ status }) => status === "not_run");
  if (open !== undefined) {
    const { code = "cancelled", reason = "a call failed" } = open;
    const all = notice === undefined ? blocks : [...blocks, text(notice)];
    return failedReply(all, { code, message: `${open.tool}: ${reason}` }, structured);
  }
  const links = results.flatMap((result) => result.links ?? []);
  const whole = reply(blocks, structured, links);
  return notice === undefined ? whole : { ...whole, notice };
}

function structuredResult({ id, tool, status, value, blocks, reason, hint }: CallResult) {
  const answered = value ?? blocks;
  return {
    id,
    tool,
    status,
    ...(answered !== undefined && { value: answered }),
    ...(reason !== undefined && { reason }),
    ...(hint !== undefined && { hint }),
  };
}

function headingOf({ id, tool, status, reason, hint }: CallResult): string {
  const line = `[${id}] ${tool}: ${status}${reason === undefined ? "" : `: ${reason}`}`;
  return hint === undefined ? line : `${line}\n${hint}`;
}

/** What has finished, and the values that the other calls refer to. */
function goOn(results: readonly CallResult[]): readonly ContentBlock[] {
  const finished = results.filter(({ status }) => status === "succeeded");
  if (finished.length === 0 || finished.length === results.length) return [];
  const ids = finished.map(({ id }) => id).join(", ");
  const values = finished.flatMap(({ id, needed }) => (needed === undefined ? [] : [`steps.${id} is ${needed}`]));
  const written = values.length === 0 ? "" : ", with these values in place of references to them";
  return [text([`To go on, leave out what succeeded (${ids})${written}.`, ...values].join("\n"))];
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}
