import { PassThrough } from "node:stream";
import { connectRelay } from "./connect-relay.ts";
import { createRelay, type RelaySettings } from "../create-relay.ts";
import { memoryValues } from "../values/memory-values.ts";
import type { RelayValues } from "../values/relay-values.ts";

interface Side {
  write(text: string | object): void;
  /** Lines that came, each as it stood. */
  readonly lines: string[];
  /** Waits for a line. */
  line(at: number): Promise<string>;
  json(at: number): Promise<Record<string, unknown>>;
}

export interface WireOptions extends RelaySettings {
  readonly values?: RelayValues;
  readonly maxMessageBytes?: number;
}

interface Wired {
  readonly client: Side;
  readonly server: Side;
  readonly errors: unknown[];
  /** Ends what the client and then the server say, and answers what was left at the server and the client. */
  readonly end: () => Promise<readonly [string, string]>;
}

/** Bytes that a pipe delivers at once. */
const pipeBytes = 64 * 1024;

/** A relay between two streams that stand for a client and a server. */
export function wire({ maxMessageBytes, ...settings }: WireOptions = {}): Wired {
  const [fromClient, toClient, fromServer, toServer] = Array.from({ length: 4 }, () => new PassThrough()) as [
    PassThrough,
    PassThrough,
    PassThrough,
    PassThrough,
  ];
  const errors: unknown[] = [];
  const { clientDone, serverDone } = connectRelay({
    client: { input: fromClient, output: toClient },
    server: { input: fromServer, output: toServer },
    relay: createRelay({ values: memoryValues(), ...settings }),
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    onError: (error) => errors.push(error),
  });
  const client = side(fromClient, toClient);
  const server = side(fromServer, toServer);
  return {
    client,
    server,
    errors,
    end: async () => {
      fromClient.end();
      await clientDone;
      fromServer.end();
      await serverDone;
      return [server.rest(), client.rest()];
    },
  };
}

function side(input: PassThrough, output: PassThrough): Side & { rest: () => string } {
  let text = "";
  const lines: string[] = [];
  output.setEncoding("utf8").on("data", (piece: string) => {
    const parts = (text + piece).split("\n");
    text = parts.pop() ?? "";
    lines.push(...parts);
  });
  const line = async (at: number) => {
    for (;;) {
      const found = lines[at];
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  return {
    lines,
    rest: () => text,
    write(message) {
      const bytes = Buffer.from(
        typeof message === "string" ? message : `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`,
      );
      for (let at = 0; at < bytes.length; at += pipeBytes) input.write(bytes.subarray(at, at + pipeBytes));
    },
    line,
    json: async (at) => JSON.parse(await line(at)) as Record<string, unknown>,
  };
}

/** A request of a client to call a tool. */
export const call = (id: number | string, name: string, args: object = {}) => ({
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
/** A server's answer that is a text. */
export const says = (id: number | string, text: string) => ({ id, result: { content: [{ type: "text", text }] } });

/** The first handle in a message. */
export const handleIn = (value: unknown) => /relay:\/\/[a-z2-7]{20}/.exec(JSON.stringify(value))?.[0] ?? "none";
