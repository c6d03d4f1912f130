import { constants } from "node:os";
import path from "node:path";
import { ConfigurationError, errorText, withTimeout } from "@toolpacks/core";
import { makePrivateFolder } from "@toolpacks/files";
import type { ConnectedRelay, HandleMode, MessageStreams, RelayValues } from "@toolpacks/relay";
import { userFolders } from "@toolpacks/settings";
import { connectRemote } from "@toolpacks/upstream";
import { ServerProcess, type ProcessEnd } from "@toolpacks/upstream/process";
import { type Io, printError } from "@toolpacks/terminal";

export interface RelayFlags {
  readonly url?: string;
  readonly header?: readonly string[];
  readonly values?: string;
  readonly thresholdTokens?: number;
  readonly boxing?: HandleMode;
  readonly maxMessageBytes?: number;
}

/** Grace period after the client's input ends, in ms: time for pending responses and for the server to exit. */
const graceMs = 5_000;
/** Grace period after a forwarded signal, in ms. Clients kill this process after 2 s, which would orphan the server, so this is shorter. */
const signalGraceMs = 500;

/** `toolpacks relay`: relays messages between the client on stdin and stdout and a server, until one of them ends. */
export async function relay(io: Io, flags: RelayFlags, command: readonly string[]): Promise<number> {
  const [program, ...args] = command;
  const { url, header = [] } = flags;
  if ((program === undefined) === (url === undefined)) {
    throw new ConfigurationError("relay: expected either a server's command after -- or --url");
  }
  if (url === undefined && header.length > 0) throw new ConfigurationError("relay: --header requires --url");
  const server =
    program === undefined ? await reachServer(io, url ?? "", header) : await startServer(io, program, args);
  let isClientGone = false;
  io.signal.addEventListener("abort", () => {
    isClientGone = true;
    server.signal(io.signal.reason as NodeJS.Signals);
    void server.close(signalGraceMs);
  });
  // The client is gone.
  io.stdout.on("error", () => {
    isClientGone = true;
    void server.close(0);
  });

  const { clientDone, serverDone } = await connect(io, server, flags);
  void clientDone.then(() => server.close(graceMs));
  const { code, signal } = await server.ended;
  // A process that the server left behind may keep its output open.
  await withTimeout(serverDone, { ms: isClientGone ? signalGraceMs : graceMs, onTimeout: () => {} });
  await new Promise((resolve) => io.stdout.write("", resolve));
  return signal === null ? (code ?? 0) : 128 + constants.signals[signal];
}

/** A server behind the relay: a child process or a remote server. */
interface Server {
  readonly streams: MessageStreams;
  readonly ended: Promise<ProcessEnd>;
  signal(signal: NodeJS.Signals): void;
  /** Closes the server's input, and the server after `waitMs`. A remote server is closed as soon as all requests are answered. */
  close(waitMs: number): Promise<void>;
}

async function startServer(io: Io, command: string, args: readonly string[]): Promise<Server> {
  const request = { command, args, env: io.env, stderr: "inherit" } as const;
  const child = await ServerProcess.start(request).catch((error: unknown) => {
    throw new ConfigurationError(`relay: ${command} cannot be started: ${errorText(error)}`);
  });
  return {
    streams: { input: child.stdout, output: child.stdin },
    ended: child.ended,
    signal: (signal) => child.signal(signal),
    close: (waitMs) => child.close(waitMs),
  };
}

async function reachServer(io: Io, url: string, lines: readonly string[]): Promise<Server> {
  const dataDirectory = path.join(userFolders("toolpacks", io.env).data, "upstream");
  const remote = await connectRemote({
    url,
    headers: headersOf(lines),
    dataDirectory,
    onError: errorReporter(io),
  }).catch((error: unknown) => {
    throw new ConfigurationError(`relay: --url ${url}: ${errorText(error)}`);
  });
  let end: (result: ProcessEnd) => void = () => {};
  const ended = new Promise<ProcessEnd>((resolve) => (end = resolve));
  const stop = async (result: ProcessEnd, waitMs: number) => {
    await withTimeout(remote.close(waitMs), { ms: waitMs + graceMs, onTimeout: () => {} });
    end(result);
  };
  return {
    streams: { input: remote.stdout, output: remote.stdin },
    ended,
    signal: (signal) => void stop({ code: null, signal }, signalGraceMs),
    close: (waitMs) => stop({ code: 0, signal: null }, waitMs),
  };
}

/** Connects the relay. Its modules are loaded while the server starts. */
async function connect(
  io: Io,
  server: Server,
  { values, thresholdTokens, boxing, maxMessageBytes }: RelayFlags,
): Promise<ConnectedRelay> {
  const { connectRelay, createRelay } = await import("@toolpacks/relay");
  const settings = {
    ...(thresholdTokens !== undefined && { thresholdTokens }),
    ...(boxing !== undefined && { mode: boxing }),
  };
  return connectRelay({
    client: { input: io.stdin, output: io.stdout },
    server: server.streams,
    relay: createRelay({ values: await openValues(values), ...settings }),
    ...(maxMessageBytes !== undefined && { maxMessageBytes }),
    onError: errorReporter(io),
  });
}

/** Values are in memory, or in a store in a folder that several relays may use. */
async function openValues(folder: string | undefined): Promise<RelayValues> {
  const { memoryValues, storeValues } = await import("@toolpacks/relay");
  if (folder === undefined) return memoryValues();
  try {
    makePrivateFolder(folder);
  } catch (error) {
    throw new ConfigurationError(`relay: the folder for values cannot be created: ${errorText(error)}`);
  }
  const { openLocalStore } = await import("../stores/bundled-drivers.ts");
  return storeValues({ store: await openLocalStore(path.resolve(folder, "values.db")) });
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

function errorReporter(io: Io): (error: unknown) => void {
  return (error) => printError(io, `toolpacks relay: ${errorText(error)}`);
}
