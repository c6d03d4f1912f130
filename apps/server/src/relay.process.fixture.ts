import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import type { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import { cli } from "./command.process.fixture.ts";
import { serveHere } from "./serve.fixture.ts";

/** The program of an official server, as npm installs it. */
export function official(name: "everything" | "filesystem"): string {
  return createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
}

/** Words after `relay` that start a server with Node. */
export function before(server: readonly string[], flags: readonly string[] = []): string[] {
  return [...flags, "--", process.execPath, ...server];
}

/** Arguments for Node that start a server behind the built relay. */
export function relayed(server: readonly string[], flags: readonly string[] = []): string[] {
  return [cli, "relay", ...before(server, flags)];
}

/** A JSON-RPC message. Every field may be missing. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server that reads and writes lines. */
interface Peer {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Not of a server in this process, whose child writes to our stderr. */
  readonly stderr?: Readable;
  readonly pid?: number | undefined;
  readonly ended: Promise<number | null>;
  kill(signal?: NodeJS.Signals): void;
}

/** A command as a process. */
function startProcess(args: readonly string[], command: string): Peer {
  const child = spawn(command, [...args]);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const { stdin, stdout, stderr, pid } = child;
  return { stdin, stdout, stderr, pid, ended, kill: (signal) => void child.kill(signal) };
}

/** A client that exchanges raw lines with a server. */
export class RawClient {
  /** All lines that the server wrote. */
  readonly lines: string[] = [];
  readonly peer: Peer;
  stderr = "";
  #rest = "";
  #hasEnded = false;
  #answers: (request: Message) => object | undefined = () => undefined;

  /** Starts a command. Default: Node */
  static start(args: readonly string[], command = process.execPath): RawClient {
    return new RawClient(startProcess(args, command));
  }

  /** Runs the relay with these words in this process. */
  static relay(words: readonly string[]): RawClient {
    const ending = new AbortController();
    const { input, output, ended } = serveHere(["relay", ...words], { signal: ending.signal });
    return new RawClient({ stdin: input, stdout: output, ended, kill: (signal) => ending.abort(signal ?? "SIGTERM") });
  }

  private constructor(peer: Peer) {
    this.peer = peer;
    peer.stdin.on("error", () => {});
    void peer.ended.then(() => (this.#hasEnded = true));
    peer.stdout.setEncoding("utf8").on("data", (piece: string) => this.#read(piece));
    peer.stderr?.on("data", (piece: Buffer) => (this.stderr += piece.toString()));
    onTestFinished(() => {
      peer.stdin.end();
      peer.kill();
    });
  }

  /** Answers requests of the server with these results. */
  answering(answers: (request: Message) => object | undefined): this {
    this.#answers = answers;
    return this;
  }

  write(line: string): void {
    this.peer.stdin.write(`${line}\n`);
  }

  send(message: object): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Sends a request and waits for its response. */
  async ask(id: number, method: string, params: object = {}): Promise<Message> {
    this.send({ id, method, params });
    return this.answer(id);
  }

  async answer(id: number): Promise<Message> {
    return this.until((message) => message.id === id && message.method === undefined);
  }

  /** Waits until `times` messages match, and returns the last one. */
  async until(isExpected: (message: Message) => boolean, times = 1): Promise<Message> {
    for (;;) {
      const found = this.lines.map((line) => JSON.parse(line) as Message).filter(isExpected)[times - 1];
      if (found !== undefined) return found;
      if (this.#hasEnded) throw new Error(`it ended: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      this.lines.push(line);
      const message = JSON.parse(line) as Message;
      if (message.method === undefined || message.id === undefined) continue;
      const result = this.#answers(message);
      if (result !== undefined) this.send({ id: message.id, result });
    }
  }
}
