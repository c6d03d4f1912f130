// The thread of scripts. It runs one script at a time, each in a machine of its own.
import { existsSync, readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { Machine } from "./code/machine.ts";
import type { Task } from "./code/protocol.ts";
import { readScript } from "./code/script.ts";

type WithWebAssembly = { readonly WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<object> } };

/** The engine is beside this file where the server is bundled. */
const beside = new URL("./quickjs.wasm", import.meta.url);
const engine = existsSync(beside) ? beside : new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm"));
/** Compiled beside the first parse. */
const wasm = (globalThis as unknown as WithWebAssembly).WebAssembly.compile(readFileSync(engine));
const makeMachine = async () => Machine.create(await wasm);
/** The machine of the next script. It is made before the script is there. */
let next: Promise<Machine> | undefined = makeMachine();
let machine: Machine | undefined;
/** The last script that was read: it is parsed to be checked, and run then. */
let last = { code: "", script: readScript("") };

async function answer(task: Task) {
  if (task.kind === "go") return machine!.go(task.deliveries);
  if (last.code !== task.code) last = { code: task.code, script: readScript(task.code) };
  if (task.kind === "parse") return last.script.parsed;
  machine = await (next ?? makeMachine());
  next = undefined;
  return machine.begin(last.script.js, task.prepare, task.limits);
}

parentPort?.on("message", (task: Task) => {
  // A rejection ends this thread.
  void answer(task).then((answered) => {
    parentPort?.postMessage(answered);
    if (!("end" in answered)) return;
    machine = undefined;
    // Later, so that it does not delay the end of this run.
    setTimeout(() => (next ??= makeMachine()), 10);
  });
});
