import { definedOnly, type ListPage } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { printTable, type Column } from "../print-table.ts";
import { printError } from "../print.ts";
import { callTool, printEmpty, showResult } from "./open-tools.ts";
import { localTime } from "./local-time.ts";

export interface RecallFlags extends Flags {
  readonly about?: string;
  readonly tag?: readonly string[];
  readonly limit: number;
  readonly asOf?: string;
  readonly history?: boolean;
  readonly json?: boolean;
}

/** An observation as `memory_recall` returns it. */
interface Recalled {
  readonly id: string;
  readonly text: string;
  readonly about?: readonly string[];
  readonly tags?: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

const columns: readonly Column[] = [
  { title: "id", style: () => "cyan" },
  { title: "about", isOptional: true },
  { title: "tags", isOptional: true, style: () => "dim" },
  { title: "since" },
  { title: "until", style: () => "red" },
  { title: "text", isText: true },
];

/** `toolpacks memory recall`: finds observations by words. Without words, it shows the newest. */
export async function recall(words: string | undefined, flags: RecallFlags): Promise<void> {
  const { about, tag, limit, asOf, history } = flags;
  const args = definedOnly({ query: words ?? "", entity: about, tags: tag, limit, asOf, history });
  const result = await callTool<ListPage<Recalled>>(flags, "memory_recall", args);
  showResult(result, flags, ({ items, total, hint }) => {
    if (items.length === 0) return printEmpty(hint, "nothing is known of it", flags);
    printTable(columns, items.map(row));
    if (items.length < total) printError(`${items.length} of ${total} observations; --limit shows more`);
  });
}

function row({ id, text, about, tags, since, until }: Recalled) {
  return [id, about?.join(", "), tags?.join(", "), day(since), day(until), text];
}

function day(time: string | undefined): string | undefined {
  return time === undefined ? undefined : localTime(time).slice(0, "2027-01-31".length);
}
