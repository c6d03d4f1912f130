import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { Flags } from "../config/settings.ts";
import { connectTo, type Connection } from "./client.ts";
import { findServers } from "./servers.ts";

/** Maximum number of warm servers of a user. */
const maxServers = 8;

/** Maximum time until a new server listens, in ms. */
const startTimeoutMs = 10_000;

const pauseMs = 10;

/** What a server reads from stdin at its start. */
export interface ServerStart {
  /** The name that the server must have by its own settings. */
  readonly name: string;
  readonly flags: Flags;
}

/** Starts a server in the background, and connects to it. If another command starts the same server, one of the two listens. Undefined: none listens. */
export async function launchServer(
  flags: Flags,
  { name, address }: { readonly name: string; readonly address: string },
): Promise<Connection | undefined> {
  if ((await findServers()).length >= maxServers) return undefined;
  const [cli = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, cli, "warm", "run"], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const failed = new AbortController();
  child.once("error", () => failed.abort());
  child.once("exit", (code) => {
    // A server that finds another one of the same name ends with code 0.
    if (code !== 0) failed.abort();
  });
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify({ name, flags: mountFlags(flags) } satisfies ServerStart));
  child.unref();
  const deadline = performance.now() + startTimeoutMs;
  while (!failed.signal.aborted && performance.now() < deadline) {
    const found = await connectTo(address);
    if (found !== "none") return found;
    await wait(pauseMs);
  }
  return undefined;
}

/** The flags that decide what is mounted. */
function mountFlags(flags: Flags): Flags {
  const { config, trust, expose, deny, surface, facet, root, store, workspace, write, readOnly, results } = flags;
  const picked = { config, trust, expose, deny, surface, facet, root, store, workspace, write, readOnly, results };
  return Object.fromEntries(Object.entries(picked).filter(([, value]) => value !== undefined));
}
