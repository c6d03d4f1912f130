import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createRequire } from "node:module";
import { onTestFinished } from "vitest";
import { cli } from "./command.process.fixture.ts";

/** The program of an official server, as npm installs it. */
export function official(name: "everything" | "filesystem"): string {
  return createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
}

/** Arguments for Node that start a server behind the relay. */
export function relayed(server: readonly string[], flags: readonly string[] = []): string[] {
  return [cli, "relay", ...flags, "--", process.execPath, ...server];
}

/** A JSON-RPC message. Every field may be missing. */
export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client that starts a server and exchanges raw lines with it. */
export class RawClient {
  /** All lines that the server wrote. */
  readonly lines: string[] = [];
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stderr = "";
  #rest = "";
  #answers: (request: Message) => object | undefined = () => undefined;

  /** @param command Default: Node */
  constructor(args: readonly string[], command = process.execPath) {
    this.child = spawn(command, [...args]);
    this.child.stdin.on("error", () => {});
    this.ended = new Promise((resolve) => this.child.once("exit", (code, signal) => resolve({ code, signal })));
    this.child.stdout.setEncoding("utf8").on("data", (piece: string) => this.#read(piece));
    this.child.stderr.on("data", (piece: Buffer) => (this.stderr += piece.toString()));
    onTestFinished(() => {
      this.child.stdin.end();
      this.child.kill();
    });
  }

  /** Answers requests of the server with these results. */
  answering(answers: (request: Message) => object | undefined): this {
    this.#answers = answers;
    return this;
  }

  write(line: string): void {
    this.child.stdin.write(`${line}\n`);
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
      if (this.child.exitCode !== null) throw new Error(`it ended: ${this.stderr}`);
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
