import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** A server to measure: how it is started, and a call that does nothing. */
export interface Contestant {
  readonly name: string;
  readonly args: readonly string[];
  /** Additional arguments for benchmarks of calls. */
  readonly callArgs?: readonly string[];
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> };
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Toolpacks comes last, so that the last row has its ratio to the first server. */
export const contestants: readonly Contestant[] = [
  {
    name: "bare 2.x server",
    args: [here("./bare-server.mjs")],
    call: { name: "noop", arguments: { name: "noop", args: {} } },
  },
  {
    name: "toolpacks",
    args: [here("../../apps/server/dist/cli.js"), "--root", here("."), "--log-level", "silent"],
    callArgs: ["--config", here("./noop.config.json")],
    call: { name: "tool_invoke", arguments: { name: "noop", args: {} } },
  },
];

/** Starts a server and connects a client to it. */
export async function connect(args: readonly string[]): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "ignore" }));
  return client;
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
