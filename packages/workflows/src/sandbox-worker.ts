// The thread of scripts. It runs one script at a time, each in a machine of its own.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
import { createMachine, type Machine } from "./code/machine.ts";
import type { Answer, Task } from "./code/protocol.ts";
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
let machine: Machine | undefined;
/** The machine of the next script. */
let next: ReturnType<typeof createMachine> | undefined;

function prepareNext(): ReturnType<typeof createMachine> {
  return (next ??= wasm.then((compiled) => createMachine(compiled)));
}

async function answer(task: Task): Promise<Answer | undefined> {
  if (task.kind === "parse") {
    const { uses, problems } = readScript(task.code);
    return { uses, problems };
  }
  if (task.kind === "go") return machine?.go(task.deliveries, task.now);
  machine?.end();
  machine = undefined;
  if (task.kind === "end") return undefined;
  const begin = await prepareNext();
  next = undefined;
  machine = begin(readScript(task.code).js, task);
  return machine.begin();
}

parentPort?.on("message", (task: Task) => {
  // A rejection ends this thread.
  void answer(task).then((answered) => {
    if (answered !== undefined) parentPort?.postMessage(answered);
    if (machine === undefined) setImmediate(() => void prepareNext());
  });
});
