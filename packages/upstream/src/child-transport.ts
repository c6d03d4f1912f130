import type { ChildProcess } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import spawn from "cross-spawn";
import { createLineReader, type LongLine } from "./line-reader.ts";
import type { LocalPlan } from "./options.ts";

/** How long a process may take to end once its input has, before it is told to; and then before it is made to. */
const patienceMs = 1_000;
const longestSaid = 500;
const mostSaid = 200;
/** Messages that are read and not yet delivered; a server that sends more faster than they are handled is made to wait. */
const mostWaiting = 1_000;

/** Every process that was started and has not ended, so that none outlives this one. */
const running = new Set<ChildProcess>();
process.on("exit", () => running.forEach((child) => signalGroup(child, "SIGKILL")));

/**
 * A server over stdio, in a process group of its own, which ends as a whole: what `npx` starts too. Messages beyond a size are not
 * kept in memory; whoever waits for one is answered with an error.
 */
export class ChildTransport implements Transport {
  // The SDK tells by these two that it is on stdio, where a server that knows no 2026 protocol may stay silent.
  readonly stderr = null;
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The last line that the server wrote where no protocol belongs. */
  lastSaid = "";
  readonly #plan: LocalPlan;
  #child: ChildProcess | undefined;
  #said = 0;
  readonly #inbox: JSONRPCMessage[] = [];
  #isDelivering = false;

  constructor(plan: LocalPlan) {
    this.#plan = plan;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#plan;
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        env: { ...getDefaultEnvironment(), ...env },
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true,
        ...(cwd !== undefined && { cwd }),
      });
      this.#child = child;
      running.add(child);
      child.once("error", (error) => {
        running.delete(child);
        reject(error);
        this.onerror?.(error);
      });
      child.once("spawn", resolve);
      child.once("exit", () => {
        // A helper that it leaves behind would hold its pipes open.
        signalGroup(child, "SIGKILL");
        running.delete(child);
      });
      child.once("close", () => {
        this.#child = undefined;
        this.onclose?.();
      });
      child.stdin?.on("error", (error) => this.onerror?.(error));
      this.#read(child);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    return new Promise((resolve, reject) => {
      if (!input?.writable) return reject(new Error("the server is not running"));
      if (input.write(`${JSON.stringify(message)}\n`)) return resolve();
      const settle = () => {
        input.off("drain", settle);
        input.off("close", settle);
        resolve();
      };
      input.on("drain", settle);
      input.on("close", settle);
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once("exit", () => resolve());
    });
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await within(ended, patienceMs)) return;
      signalGroup(child, signal);
    }
    await within(ended, patienceMs);
  }

  #read(child: ChildProcess): void {
    const { maxResultBytes } = this.#plan;
    const protocol = createLineReader(maxResultBytes, {
      line: (text) => this.#receive(text),
      tooLong: (line) => this.#refuse(line),
    });
    const words = createLineReader(longestSaid * 4, {
      line: (text) => this.#hear(text),
      tooLong: ({ head }) => this.#hear(head),
    });
    child.stdout?.on("data", protocol);
    child.stderr?.on("data", words);
  }

  #receive(text: string): void {
    if (text.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#hear(text);
      return;
    }
    const isMessage = message !== null && typeof message === "object" && "jsonrpc" in message;
    if (isMessage) this.#deliver(message as JSONRPCMessage);
    else this.#hear(text);
  }

  /**
   * The SDK handles a notification a moment after it got it, and an answer at once: of a progress and the answer right behind it, the
   * progress would be lost.
   */
  #deliver(message: JSONRPCMessage): void {
    this.#inbox.push(message);
    if (this.#inbox.length > mostWaiting) this.#child?.stdout?.pause();
    if (!this.#isDelivering) this.#deliverNext();
  }

  #deliverNext(): void {
    this.#isDelivering = false;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      this.onmessage?.(next);
      if ("id" in next) continue;
      this.#isDelivering = true;
      setImmediate(() => this.#deliverNext());
      return;
    }
    if (this.#child?.stdout?.isPaused() === true) this.#child.stdout.resume();
  }

  /** Servers write an answer's id first or last. Without one nobody could be told, and all who wait are. */
  #refuse({ head, tail }: LongLine): void {
    const id =
      /^\s*\{(?:"jsonrpc":"2\.0",)?"id":(\d+)[,}]/.exec(head) ?? /,"id":(\d+)(?:,"jsonrpc":"2\.0")?\}\s*$/.exec(tail);
    const message = tooLongMessage(this.#plan.maxResultBytes);
    if (id === null) {
      this.onerror?.(new Error(message));
      void this.close();
      return;
    }
    this.#deliver({ jsonrpc: "2.0", id: Number(id[1]), error: { code: tooLong, message } });
  }

  #hear(text: string): void {
    this.lastSaid = text.slice(0, longestSaid);
    this.#said += 1;
    if (this.#said < mostSaid) this.#plan.log?.("debug", this.lastSaid);
    else if (this.#said === mostSaid) this.#plan.log?.("debug", "…; no more of what it says is shown");
  }
}

/** The JSON-RPC error that stands for a message which was not kept. */
export const tooLong = -32_099;

export function tooLongMessage(bytes: number): string {
  return `the answer is larger than ${bytes.toLocaleString("en")} bytes`;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

async function within(ended: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  const first = await Promise.race([ended.then(() => true), late]);
  clearTimeout(timer);
  return first;
}
