import { setTimeout as wait } from "node:timers/promises";
import type { BoardColumn } from "@toolpacks/issues/tracker";
import { printableText } from "@toolpacks/core/terminal";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { clearTerminal } from "../print-terminal.ts";
import { print } from "../print.ts";
import { openStore } from "../stores/open-store.ts";

const maxPerColumn = 10;

/** Interval of refreshing the board, in ms. An issue that waits for a time becomes ready without a write. */
const refreshMs = 30_000;

/** Debounce time of writes, in ms. */
const debounceMs = 100;

/** `toolpacks issues board`: prints the board once, or with `--watch` after every change until it is interrupted. */
export async function showBoard(flags: Flags): Promise<void> {
  const { issueKind } = await import("@toolpacks/issues");
  const { readBoard, renderItem } = await import("@toolpacks/issues/tracker");
  const kind = issueKind();
  const store = await openStore(await readSettings(flags));
  let shown = "";
  const show = async () => {
    const columns = await readBoard({ store, kind }, maxPerColumn);
    const lines = columns.flatMap((column, at) => [...(at === 0 ? [] : [""]), ...renderColumn(column, renderItem)]);
    const board = JSON.stringify(lines);
    if (board === shown) return;
    // On a terminal, the new board replaces the previous one.
    if (process.stdout.isTTY && flags.watch === true) clearTerminal();
    else if (shown !== "") print("");
    print(...lines);
    shown = board;
  };
  try {
    await show();
    if (flags.watch === true) await watch(store, show);
  } finally {
    await store.end();
  }
}

async function watch(store: Awaited<ReturnType<typeof openStore>>, show: () => Promise<void>): Promise<void> {
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended.abort());
  let changed = new AbortController();
  const stop = await store.watch(() => changed.abort());
  // Shows writes between the first board and the start of the watch.
  await show();
  while (!ended.signal.aborted) {
    await wait(refreshMs, undefined, { signal: AbortSignal.any([changed.signal, ended.signal]) }).catch(() => {});
    if (changed.signal.aborted) await wait(debounceMs, undefined, { signal: ended.signal }).catch(() => {});
    changed = new AbortController();
    await show();
  }
  await stop();
}

function renderColumn(
  { name, items, total }: BoardColumn,
  renderItem: (item: BoardColumn["items"][number]) => string,
): readonly string[] {
  const lines = items.map((item) => {
    const by = item.blocked_by === undefined ? "" : ` <- ${item.blocked_by.join(", ") || "its status"}`;
    return `  ${cut(printableText(renderItem(item) + by, Infinity))}`;
  });
  const rest = total > items.length ? [`  … ${total - items.length} more`] : [];
  return [`${name.toUpperCase()} ${total}`, ...lines, ...rest];
}

/** Cuts a line to the width of the terminal. Elsewhere nothing is cut. */
function cut(line: string): string {
  const width = process.stdout.columns - 2;
  return process.stdout.isTTY && line.length > width
    ? `${line.slice(0, Math.max(0, width - 1)).toWellFormed()}…`
    : line;
}
