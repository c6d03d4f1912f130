import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createRequire } from "node:module";
import { onTestFinished } from "vitest";
import { cli } from "./command.fixture.ts";

/** The program of an official server, as npm installs it. */
export function official(name: "everything" | "filesystem"): string {
  return createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
}

/** A server's arguments for Node, with the relay around it. */
export function relayed(server: readonly string[], flags: readonly string[] = []): string[] {
  return [cli, "relay", ...flags, "--", process.execPath, ...server];
}

/** A JSON-RPC message; nothing of it is certain. */
export interface Said {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A server as a bare process, spoken to line by line. */
export class Talk {
  /** Every line that it wrote, as it stood. */
  readonly lines: string[] = [];
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stderr = "";
  #rest = "";
  #answers: (request: Said) => object | undefined = () => undefined;

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

  /** What it asks its client is answered with these results. */
  answering(answers: (request: Said) => object | undefined): this {
    this.#answers = answers;
    return this;
  }

  write(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  send(message: object): void {
    this.write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Sends a request and waits for its answer. */
  async ask(id: number, method: string, params: object = {}): Promise<Said> {
    this.send({ id, method, params });
    return this.answer(id);
  }

  async answer(id: number): Promise<Said> {
    return this.until((said) => said.id === id && said.method === undefined);
  }

  /** Waits for a message, or for so many of a sort. */
  async until(isMeant: (said: Said) => boolean, times = 1): Promise<Said> {
    for (;;) {
      const found = this.lines.map((line) => JSON.parse(line) as Said).filter(isMeant)[times - 1];
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
      const said = JSON.parse(line) as Said;
      if (said.method === undefined || said.id === undefined) continue;
      const result = this.#answers(said);
      if (result !== undefined) this.send({ id: said.id, result });
    }
  }
}
