import { isObject, renderFailure, type ContentBlock, type JsonSchema, type Outcome } from "@toolpacks/core";
import {
  printableJson,
  type Io,
  printTable,
  type Cell,
  type Column,
  print,
  printError,
  printResult,
} from "@toolpacks/terminal";
import type { CommandCall, ToolSource } from "./command-tool.ts";
import type { ToolFlags } from "./tool-program.ts";

/** Number of items that a command asks for, if no flag says how many. */
const defaultLimit = 50;

interface PrintedCall {
  readonly source: ToolSource;
  readonly call: CommandCall;
  readonly flags: Pick<ToolFlags, "json">;
  readonly outcome: Outcome;
}

type Value = Readonly<Record<string, unknown>>;

/** Prints the result of a call as `printOutcome`, but the items of a list as a table. Resolves with the exit code. */
export async function printList(io: Io, { source, call, flags, outcome }: PrintedCall): Promise<number> {
  if (!outcome.ok || outcome.value === undefined || !Array.isArray(outcome.value["items"])) {
    return printOutcome(io, outcome, flags);
  }
  const page = await withNextPages(source, call, outcome.value);
  if (flags.json === true) printResult(io, printableJson(page));
  else printPage(io, page);
  if (outcome.notice !== undefined) printError(io, ...outcome.notice.split("\n"));
  return 0;
}

/**
 * Prints the result of a call on stdout: its text, or with `--json` its structured value. A failure is printed on stderr, and the part that succeeded on
 * stdout. Resolves with the exit code.
 */
export function printOutcome(io: Io, outcome: Outcome, { json = false }: Pick<ToolFlags, "json">): number {
  if (!outcome.ok) {
    const { blocks = [], value, failure } = outcome;
    if (value !== undefined) printResult(io, json ? printableJson(value) : renderBlocks(blocks));
    if (json) printError(io, printableJson(failure));
    else printError(io, ...renderFailure(failure).split("\n"));
    return 1;
  }
  const { value, blocks, text, notice } = outcome;
  printResult(io, json ? printableJson(value ?? blocks ?? text) : blocks ? renderBlocks(blocks) : text);
  if (notice !== undefined) printError(io, ...notice.split("\n"));
  return 0;
}

/** The arguments of a list with a limit, if it has one and none is given. */
export function withListLimit(args: Value, { properties }: JsonSchema): Value {
  const limit = isObject(properties) ? properties["limit"] : undefined;
  if (!isObject(limit) || args["limit"] !== undefined) return args;
  const { maximum } = limit;
  return { ...args, limit: typeof maximum === "number" ? Math.min(defaultLimit, maximum) : defaultLimit };
}

/** Asks for further pages, until there are as many items as the arguments ask for. */
async function withNextPages(source: ToolSource, call: CommandCall, first: Value): Promise<Value> {
  const args = isObject(call.args) ? call.args : {};
  const limit = Number(args["limit"] ?? 0);
  let page = first;
  const items = itemsOf(first);
  while (typeof page["cursor"] === "string" && items.length < limit) {
    const { cursor } = page;
    const next = await source.call({ ...call, args: { ...args, limit: limit - items.length, cursor } });
    if (!next.ok || next.value === undefined || itemsOf(next.value).length === 0) break;
    page = next.value;
    items.push(...itemsOf(page));
  }
  const { cursor: _cursor, ...rest } = first;
  return { ...rest, items, ...(page["cursor"] !== undefined && { cursor: page["cursor"] }) };
}

function itemsOf({ items }: Value): unknown[] {
  return Array.isArray(items) ? [...(items as readonly unknown[])] : [];
}

/** Prints the items of a page as a table, its other fields below, and on stderr how many items there are. */
function printPage(io: Io, page: Value): void {
  const { items: _items, total, hint, cursor: _cursor, compacted: _compacted, ...others } = page;
  const items = itemsOf(page);
  printItems(io, items);
  for (const [name, value] of Object.entries(others)) {
    if (!Array.isArray(value) || !value.every(isObject)) print(io, `${name}: ${cellOf(value) ?? ""}`);
    else if (value.length > 0) {
      print(io, "", `${name}:`);
      printItems(io, value);
    }
  }
  if (typeof hint === "string") printError(io, ...hint.split("\n"));
  else if (items.length === 0) printError(io, "nothing found");
  if (typeof total === "number" && items.length > 0 && items.length < total) {
    printError(io, `${items.length} of ${total}; --limit ${total} shows all`);
  }
}

/** Fields of prose, which stand last. */
const prose = new Set(["title", "text", "description", "summary", "message", "args", "result", "reason", "goal"]);
/** Fields that a narrow terminal shows before others. */
const first = new Set(["id", "name", "tool", "path", "status", "outcome", "at"]);

function printItems(io: Io, items: readonly unknown[]): void {
  if (!items.every(isObject)) return printResult(io, items.map((item) => cellOf(item) ?? "").join("\n"));
  if (items.length === 0) return;
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const ordered = [...names.filter((name) => !prose.has(name)), ...names.filter((name) => prose.has(name))];
  const columns = ordered.map((title, at): Column => {
    const isOptional = at > 0 && !prose.has(title) && !first.has(title);
    return { title, isOptional, style: at === 0 ? () => "cyan" : undefined };
  });
  printTable(io, { columns, rows: items.map((item) => ordered.map((name) => cellOf(item[name]))) });
}

function cellOf(value: unknown): Cell {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return Number.isInteger(value) ? value : Number(value.toFixed(2));
  if (typeof value === "string") return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? localTime(value) : value;
  const isPlain = Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number");
  return isPlain ? value.join(", ") : JSON.stringify(value);
}

/** An ISO time as local time: `2027-01-31 09:00:00`. */
function localTime(iso: string): string {
  return new Date(iso).toLocaleString("sv-SE");
}

function renderBlocks(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : JSON.stringify(block))).join("\n");
}
