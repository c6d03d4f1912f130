import { PassThrough, type Readable } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { runCli } from "./run-cli.ts";
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

type ClientOptions = ConstructorParameters<typeof Client>[1];

/** Runs `serve` in this process, over streams in place of stdin and stdout. It ends when its input ends. */
export function serveHere(args: readonly string[], options: Omit<RunOptions, "stdin" | "columns"> = {}): ServedProcess {
  const input = new PassThrough();
  const words = withTrust(args, options.isTrusted ?? true);
  const { io, output } = testIo(words, { ...options, stdin: input });
  const stdout = new PassThrough();
  return { input, output: stdout, stderr: output.stderr, ended: runCli({ ...io, stdout }) };
}

/** A transport of an SDK's client to a server of this process. The lines of JSON-RPC are the same in both directions. */
export function clientTransport({ input, output }: ServedProcess): StdioServerTransport {
  const transport = new StdioServerTransport(output, input);
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    input.end();
  };
  return transport;
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
