// The thread of scripts. It runs one script at a time, each in a machine of its own.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import { Machine } from "./code/machine.ts";
import type { ParsedCode, Slice, Task } from "./code/protocol.ts";
import { readScript } from "./code/script.ts";

const engine = "quickjs.wasm";

/** The engine is beside this file where the server is bundled. */
function enginePath(): string {
  const beside = fileURLToPath(new URL(`./${engine}`, import.meta.url));
  return existsSync(beside) ? beside : createRequire(import.meta.url).resolve(`quickjs-wasi/${engine}`);
}

interface Compiler {
  compile(bytes: Uint8Array): Promise<object>;
}

/** Compiled beside the first parse. */
const wasm = (globalThis as unknown as { WebAssembly: Compiler }).WebAssembly.compile(readFileSync(enginePath()));
const makeMachine = () => wasm.then((compiled) => Machine.create(compiled));
/** The machine of the next script. It is made before the script is there. */
let next: Promise<Machine> | undefined = makeMachine();
let machine: Machine | undefined;
/** The last script that was read: it is parsed to be checked, and run then. */
let last: { readonly code: string; readonly script: ReturnType<typeof readScript> } | undefined;

function read(code: string): ReturnType<typeof readScript> {
  if (last?.code !== code) last = { code, script: readScript(code) };
  return last.script;
}

async function answer(task: Task): Promise<ParsedCode | Slice | undefined> {
  if (task.kind === "parse") return read(task.code).parsed;
  if (task.kind === "begin") {
    machine = await (next ?? makeMachine());
    next = undefined;
  }
  const slice = task.kind === "begin" ? machine?.begin(read(task.code).js, task) : machine?.go(task.deliveries);
  if (slice?.end !== undefined) machine = undefined;
  return slice;
}

parentPort?.on("message", (task: Task) => {
  // A rejection ends this thread.
  void answer(task).then((answered) => {
    parentPort?.postMessage(answered);
    if (machine === undefined) setImmediate(() => (next ??= makeMachine()));
  });
});
