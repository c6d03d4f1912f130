import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makePrivateFolder } from "@toolpacks/core/private-files";
import type { ConnectedRelay, HandleMode, MessageStreams } from "@toolpacks/relay";
import { connectRemote } from "@toolpacks/upstream";
import { ServerProcess, type ProcessEnd } from "@toolpacks/upstream/process";
import envPaths from "env-paths";
import { ConfigurationError } from "../configuration-error.ts";
import { printError } from "../print.ts";

export interface RelayFlags {
  readonly url?: string;
  readonly header?: readonly string[];
  readonly values?: string;
  readonly threshold?: number;
  readonly boxing?: HandleMode;
  readonly maxMessageBytes?: number;
}

/** How long a server may take to answer what is under way, and to end, after its client's input has ended. */
const graceMs = 5_000;
/** How long after a signal, which is passed on. Clients make an end of us after two seconds, and then nobody would of it. */
const signalGraceMs = 500;
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `toolpacks relay`: between the client on stdin and stdout and a server, until either ends. */
export async function relay(command: readonly string[], flags: RelayFlags): Promise<void> {
  const [program, ...args] = command;
  const { url, header = [] } = flags;
  if ((program === undefined) === (url === undefined)) {
    throw new ConfigurationError("relay: expected either a server's command behind -- or --url");
  }
  if (url === undefined && header.length > 0) throw new ConfigurationError("relay: --header: expected --url beside it");
  const server = program === undefined ? await reachServer(url ?? "", header) : await startServer(program, args);
  for (const signal of forwarded) {
    process.on(signal, () => {
      server.signal(signal);
      void server.close(signalGraceMs);
    });
  }
  // The client is gone.
  process.stdout.on("error", () => void server.close(0));

  const { clientDone, serverDone } = await connect(server, flags);
  void clientDone.then(() => server.close(graceMs));
  const { code, signal } = await server.ended;
  await Promise.race([serverDone, wait(graceMs)]);
  await new Promise((resolve) => process.stdout.write("", resolve));
  process.exit(signal === null ? (code ?? 0) : 128 + constants.signals[signal]);
}

/** A server of either sort, by its pipes. */
interface Server {
  readonly streams: MessageStreams;
  readonly ended: Promise<ProcessEnd>;
  signal(signal: NodeJS.Signals): void;
  /** Ends its input, and a while later itself: over HTTP as soon as all is answered. */
  close(waitMs: number): Promise<void>;
}

async function startServer(command: string, args: readonly string[]): Promise<Server> {
  const request = { command, args, env: process.env, stderr: "inherit" } as const;
  const child = await ServerProcess.start(request).catch((error: unknown) => {
    throw new ConfigurationError(`relay: ${command} cannot be started: ${wordsOf(error)}`);
  });
  return {
    streams: { input: child.stdout, output: child.stdin },
    ended: child.ended,
    signal: (signal) => child.signal(signal),
    close: (waitMs) => child.close(waitMs),
  };
}

async function reachServer(url: string, lines: readonly string[]): Promise<Server> {
  const dataDirectory = path.join(envPaths("toolpacks", { suffix: "" }).data, "upstream");
  const remote = await connectRemote({ url, headers: headersOf(lines), dataDirectory, onError: say }).catch(
    (error: unknown) => {
      throw new ConfigurationError(`relay: --url ${url}: ${wordsOf(error)}`);
    },
  );
  let end: (how: ProcessEnd) => void = () => {};
  const ended = new Promise<ProcessEnd>((resolve) => (end = resolve));
  const stop = async (how: ProcessEnd, waitMs: number) => {
    await Promise.race([remote.close(waitMs), wait(waitMs + graceMs)]);
    end(how);
  };
  return {
    streams: { input: remote.stdout, output: remote.stdin },
    ended,
    signal: (signal) => void stop({ code: null, signal }, signalGraceMs),
    close: (waitMs) => stop({ code: 0, signal: null }, waitMs),
  };
}

/** Loads what is in between while the server starts. */
async function connect(
  server: Server,
  { values, threshold, boxing, maxMessageBytes }: RelayFlags,
): Promise<ConnectedRelay> {
  const { connectRelay, createRelay, fileValues } = await import("@toolpacks/relay");
  const folder = makeFolder(values);
  const settings = { ...(threshold !== undefined && { threshold }), ...(boxing !== undefined && { mode: boxing }) };
  return connectRelay({
    client: { input: process.stdin, output: process.stdout },
    server: server.streams,
    relay: createRelay({ values: fileValues({ directory: folder }), ...settings }),
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    onError: say,
  });
}

function makeFolder(values: string | undefined): string {
  try {
    if (values === undefined) return privateFolder();
    makePrivateFolder(values);
    return path.resolve(values);
  } catch (error) {
    throw new ConfigurationError(`relay: there is no folder for values: ${wordsOf(error)}`);
  }
}

/** For this user alone, and gone when this process is. */
function privateFolder(): string {
  const prefix = "toolpacks-relay-";
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
    // One that was killed could not clean up behind it; another user's cannot be removed.
    if (pid !== undefined && !isRunning(Number(pid))) remove(path.join(tmpdir(), name));
  }
  const folder = mkdtempSync(path.join(tmpdir(), `${prefix}${process.pid}-`));
  process.on("exit", () => remove(folder));
  return folder;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    say(error);
  }
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) {
        throw new ConfigurationError(`relay: --header ${JSON.stringify(line)}: expected "Name: value"`);
      }
      return [name, value];
    }),
  );
}

function say(error: unknown): void {
  printError(`toolpacks relay: ${wordsOf(error)}`);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
