import { PassThrough, type Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { runProgram } from "@toolpacks/command-line";
import { program } from "./command-line/commands.ts";
import { testIo, withTrust, type RunOptions } from "./run-cli.fixture.ts";

export interface ServedProcess {
  /** What the server reads. */
  readonly input: PassThrough;
  /** What the server writes. */
  readonly output: Readable;
  readonly stderr: () => string;
  /** The exit code of `serve`. */
  readonly ended: Promise<number>;
}

/** A server of this process to which a test writes messages itself, without a client library. */
export interface RawServer {
  /** Everything that the server has written. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<number>;
  send(message: object): void;
  /** Writes a line as it is. */
  write(line: string): void;
  /** The response with an id. */
  answer(id: number): Promise<Record<string, unknown>>;
  /** Ends the input. */
  end(): void;
}

export function serveRaw(args: readonly string[], options: Omit<RunOptions, "stdin" | "columns"> = {}): RawServer {
  const { input, output, stderr, ended } = serveHere(args, options);
  let stdout = "";
  const waiting = new Set<() => void>();
  output.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    for (const wake of waiting) wake();
    waiting.clear();
  });
  const write = (line: string) => void input.write(`${line}\n`);
  return {
    output: {
      get stdout() {
        return stdout;
      },
      get stderr() {
        return stderr();
      },
    },
    ended,
    write,
    send: (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message })),
    async answer(id) {
      for (;;) {
        const line = stdout.split("\n").find((one) => one.includes(`"id":${id}`));
        if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
        await Promise.race([
          new Promise<void>((resolve) => waiting.add(resolve)),
          ended.then(() => Promise.reject(new Error(`the server ended: ${stderr()}`))),
        ]);
      }
    },
    end: () => void input.end(),
  };
}

/** Runs `serve --http` in this process. Resolves once it serves. */
export async function serveHttpHere(args: readonly string[], options: Omit<RunOptions, "stdin" | "columns"> = {}) {
  const ending = new AbortController();
  const server = serveRaw(["--http", "--port", "0", ...args], { ...options, signal: ending.signal });
  const { output, ended } = server;
  const stop = () => {
    ending.abort("SIGTERM");
    return ended;
  };
  for (;;) {
    const url = /serving (http:\S+) /.exec(output.stderr)?.[1];
    if (url !== undefined) return { url, output, ended, stop };
    const code = await Promise.race([ended, wait(10)]);
    if (code !== undefined) throw new Error(`the server ended: ${output.stderr}`);
  }
}

type ClientOptions = ConstructorParameters<typeof Client>[1];

/** Runs `serve` in this process, over streams in place of stdin and stdout. It ends when its input ends. */
export function serveHere(args: readonly string[], options: Omit<RunOptions, "stdin" | "columns"> = {}): ServedProcess {
  const input = new PassThrough();
  const words = withTrust(args, options.isTrusted ?? true);
  const { io, output } = testIo(words, { ...options, stdin: input });
  const stdout = new PassThrough();
  return { input, output: stdout, stderr: output.stderr, ended: runProgram({ ...io, stdout }, program) };
}

/** A transport of an SDK's client to a server of this process. The lines of JSON-RPC are the same in both directions. */
export function clientTransport({ input, output, ended }: ServedProcess): StdioServerTransport {
  const transport = new StdioServerTransport(output, input);
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    input.end();
    await ended;
  };
  return transport;
}

/** A transport to `serve` with these words, in this process. Closing it ends the server. */
export function serverTransport(
  args: readonly string[],
  options: Omit<RunOptions, "stdin" | "columns"> = {},
): StdioServerTransport {
  return clientTransport(
    serveHere(
      args.filter((word) => word !== "serve" && word !== "--trust"),
      options,
    ),
  );
}

/** Connects a client to `serve` in this process. Closing the client ends the server. */
export async function connectServer(
  args: readonly string[],
  options: Omit<RunOptions, "stdin" | "columns"> & { readonly client?: ClientOptions } = {},
): Promise<{ readonly client: Client; readonly server: ServedProcess }> {
  const server = serveHere(args, options);
  const client = new Client({ name: "test", version: "1.0.0" }, options.client);
  await client.connect(clientTransport(server));
  return { client, server };
}
