import { spawn } from "node:child_process";
import { isBuiltin } from "node:module";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { ToolError } from "@toolpacks/core";
import type { ByteRange } from "@toolpacks/store";
import pLimit from "p-limit";
import type { OpenValue } from "../read/open-value.ts";
import { describeProblem } from "./describe-problem.ts";
import type { QueryMessage, QueryTask } from "./query-task.ts";

/** Maximum size of a value: it is in memory as a whole. */
const maxBytes = 64 * 1024 * 1024;
const loadTimeoutMs = 20_000;
const queryTimeoutMs = 5_000;
const maxRunning = 2;
const maxWaiting = 16;
/** Runs the queries of this process, a few at a time. */
const inTurn = pLimit(maxRunning);
/** Maximum JavaScript heap in MiB. The process itself limits all its memory. */
const maxHeapMegabytes = 768;

const narrower = "Query a part of the value, or use grep, lines or pick.";

export interface QueryRequest extends Omit<QueryTask, "size"> {
  /** The bytes of the value that are read. Default: all. */
  readonly range?: Required<ByteRange>;
}

/** Runs SQL over a value in a process of its own. @throws ToolError */
export async function queryValue(value: OpenValue, { range, ...task }: QueryRequest): Promise<string> {
  // Node has it from 22.13 on, unless a flag turns it off.
  if (!isBuiltin("node:sqlite")) {
    const problem = `query: this Node ${process.version} has no node:sqlite`;
    throw new ToolError("unavailable", problem, "Use grep, lines or pick.");
  }
  const { start, end } = range ?? { start: 0, end: value.info.size };
  if (end - start > maxBytes) {
    const problem = `query: the value has ${end - start} bytes, more than the ${maxBytes} that are queried`;
    throw new ToolError("too_large", problem, `Query a part, such as relay://${value.info.id}#lines=1-100000.`);
  }
  if (inTurn.pendingCount >= maxWaiting) {
    throw new ToolError("unavailable", `query: ${maxRunning} queries run and ${maxWaiting} wait`, "Try again later.");
  }
  const answer = await inTurn(() => {
    value.signal?.throwIfAborted();
    return runProcess(value, { ...task, size: end - start }, { start, end });
  });
  if (answer.kind === "answer") return answer.text;
  throw describeProblem(answer, task.sql);
}

type LastMessage = Exclude<QueryMessage, { kind: "loaded" }>;

async function runProcess(value: OpenValue, task: QueryTask, range: Required<ByteRange>): Promise<LastMessage> {
  const { values, info, signal } = value;
  const isSource = import.meta.url.endsWith(".ts");
  const entry = fileURLToPath(new URL(isSource ? "./query-child.ts" : "./query-child.js", import.meta.url));
  const flags = [`--max-old-space-size=${maxHeapMegabytes}`, ...(isSource ? ["--conditions=@toolpacks/source"] : [])];
  // No environment of the server, because the process handles hostile data.
  const child = spawn(process.execPath, [...flags, entry], { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"] });
  let timedOutAfter: number | undefined;
  const killAfter = (ms: number) =>
    setTimeout(() => {
      timedOutAfter = ms;
      child.kill("SIGKILL");
    }, ms);
  let timeout = killAfter(loadTimeoutMs);
  const kill = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", kill, { once: true });
  try {
    const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (_, by) => resolve(by));
    });
    let last: LastMessage | undefined;
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as QueryMessage;
      if (message.kind !== "loaded") last = message;
      clearTimeout(timeout);
      timeout = killAfter(queryTimeoutMs);
    });
    const bytes = async function* bytes() {
      yield Buffer.from(`${JSON.stringify(task)}\n`);
      yield* values.read(info.id, range);
    };
    // The pipe breaks when the process ends early. The end of the process says why.
    const [written, by] = await Promise.all([pipeline(bytes(), child.stdin).catch((error: unknown) => error), ended]);
    signal?.throwIfAborted();
    if (last !== undefined) return last;
    if (ToolError.is(written)) throw written;
    throw stopped(by, timedOutAfter);
  } finally {
    clearTimeout(timeout);
    signal?.removeEventListener("abort", kill);
    kill();
  }
}

function stopped(by: NodeJS.Signals | null, timedOutAfter: number | undefined): ToolError {
  if (timedOutAfter !== undefined) {
    const what = timedOutAfter === loadTimeoutMs ? "loading the value" : "the query";
    return new ToolError(
      "too_large",
      `query: ${what} took longer than ${timedOutAfter / 1_000} s and was stopped`,
      narrower,
    );
  }
  const cause = by === null ? "its process ended" : "it needs more memory than a query may have";
  return new ToolError("too_large", `query: stopped, because ${cause}`, narrower);
}
