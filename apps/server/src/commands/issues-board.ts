import type { ListPage } from "@toolpacks/core";
import { printableText } from "@toolpacks/terminal";
import type { ListedIssue } from "@toolpacks/issues/tracker";
import type { Flags } from "../config/settings.ts";
import { shorten, terminalWidth } from "../print-table.ts";
import { clearTerminal } from "../print-terminal.ts";
import { print, printJson } from "../print.ts";
import { callList, requireValue, withTools, withUntracedTools, type Tools } from "./open-tools.ts";
import { watchStore } from "./watch-store.ts";

const maxPerColumn = 10;

/** Maximum number of recently closed issues that are counted. */
const maxClosed = 200;

const weekMs = 7 * 24 * 3_600_000;

export type BoardFlags = Flags & { readonly json?: boolean };

/** `toolpacks issues board`: prints the board once, or with `--watch` after every change until it is interrupted. */
export async function showBoard(flags: BoardFlags): Promise<void> {
  const show = await createBoard(flags);
  if (flags.watch !== true) return withTools(flags, show);
  await withUntracedTools(flags, (tools, store) => watchStore(store, () => show(tools)));
}

/** Creates a function that prints the board, if it has changed since the last time. */
async function createBoard(flags: BoardFlags): Promise<(tools: Tools) => Promise<void>> {
  const { renderItem } = await import("@toolpacks/issues/tracker");
  let shown = "";
  return async (tools) => {
    const columns = await readColumns(tools);
    const board = JSON.stringify(columns);
    if (board === shown) return;
    if (flags.json === true) printJson(columns, 2);
    else {
      // On a terminal, the new board replaces the previous one.
      if (process.stdout.isTTY && flags.watch === true) clearTerminal();
      else if (shown !== "") print("");
      print(...columns.flatMap((column, at) => [...(at === 0 ? [] : [""]), ...renderColumn(column, renderItem)]));
    }
    shown = board;
  };
}

interface BoardItem extends Omit<ListedIssue, "status"> {
  /** Absent in a list of ready issues, which are open. */
  readonly status?: string;
  /** The ids of what blocks a blocked issue. */
  readonly blocked_by?: readonly string[];
}

interface BoardColumn {
  readonly name: string;
  readonly items: readonly BoardItem[];
  readonly total: number;
}

async function readColumns(tools: Tools): Promise<readonly BoardColumn[]> {
  const read = async (tool: string, where: Readonly<Record<string, unknown>>): Promise<ListPage<BoardItem>> =>
    requireValue(await tools.call<ListPage<BoardItem>>({ tool, args: { where, limit: maxPerColumn } }));
  const column = (name: string, { items, total }: ListPage<BoardItem>): BoardColumn => ({ name, items, total });
  const ready = await read("issue_ready", { assignee: "any" });
  const gates = await read("issue_list", { issue_type: "gate" });
  return [
    column("ready", { ...ready, items: ready.items.map((item) => ({ status: "open", ...item })) }),
    column("in progress", await read("issue_list", { status: "in_progress" })),
    column("blocked", await read("issue_blocked", {})),
    ...(gates.total === 0 ? [] : [column("gates", gates)]),
    await readClosed(tools),
  ];
}

/** The issues that were closed in the last week. */
async function readClosed(tools: Tools): Promise<BoardColumn> {
  const args = { where: { status: "closed" }, sort: "closed" };
  const page = requireValue(await callList<BoardItem>(tools, { tool: "issue_list", args }, maxClosed));
  const since = new Date(Date.now() - weekMs).toISOString();
  const items = page.items
    .filter(({ closed = "" }) => closed >= since.slice(0, closed.length))
    .map(({ closed: _date, ...item }) => item);
  return { name: "closed lately", items: items.slice(0, maxPerColumn), total: items.length };
}

function renderColumn({ name, items, total }: BoardColumn, renderItem: (item: BoardItem) => string): readonly string[] {
  const width = terminalWidth();
  const lines = items.map((item) => {
    const by = item.blocked_by === undefined ? "" : ` <- ${item.blocked_by.join(", ") || "its status"}`;
    const line = printableText(renderItem(item) + by, Infinity);
    return `  ${width === undefined ? line : shorten(line, width - 2)}`;
  });
  const rest = total > items.length ? [`  … ${total - items.length} more`] : [];
  return [`${name.toUpperCase()} ${total}`, ...lines, ...rest];
}
