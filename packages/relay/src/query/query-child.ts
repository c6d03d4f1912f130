/**
 * The process that runs one query. SQLite cannot be interrupted in its own thread, and a query may need any amount of memory, so
 * the server kills this process at the limits. It reads a task and a value from its standard input.
 */
import { Worker } from "node:worker_threads";
import type { QueryMessage, QueryTask } from "./query-task.ts";
import type { Table } from "./table.ts";

/** Maximum memory of this process. */
const maxBytes = 1024 ** 3;

/** Kills this process if it exceeds the limit or its parent has ended. It has a thread of its own, because a query blocks the main thread. */
const watchdog = `
const { workerData: { parent, maxBytes } } = require("node:worker_threads");
setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 20);`;

new Worker(watchdog, { eval: true, workerData: { parent: process.ppid, maxBytes } }).unref();

const { task, text } = await readInput();
if (task !== undefined) await answer(task, text());

async function answer(asked: QueryTask, value: string): Promise<void> {
  let table: Table | undefined;
  try {
    const { readTable } = await import("./read-table.ts");
    table = await readTable(value, asked.path);
    const { openDatabase } = await import("./open-database.ts");
    const database = openDatabase(table);
    send({ kind: "loaded" });
    const { runQuery } = await import("./run-query.ts");
    send({ kind: "answer", text: runQuery(database, asked, table.source) });
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string };
    send({
      kind: "problem",
      problem: error instanceof RangeError ? "the value is nested too deep" : message,
      ...(hint && { hint }),
      columns: table?.columns,
      source: table?.source,
    });
  }
}

function send(message: QueryMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** The task is undefined if the input ends before the value does. */
async function readInput(): Promise<{ task?: QueryTask; text: () => string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const input = Buffer.concat(chunks.splice(0));
  const end = input.indexOf(10);
  const task = end < 0 ? undefined : (JSON.parse(input.toString("utf8", 0, end)) as QueryTask);
  const isWhole = task !== undefined && input.length - end - 1 === task.size;
  return { ...(isWhole && { task }), text: () => input.toString("utf8", end + 1) };
}
