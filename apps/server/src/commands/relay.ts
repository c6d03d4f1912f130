import { constants } from "node:os";
import path from "node:path";
import { ConfigurationError, errorText, withTimeout } from "@toolpacks/core";
import { makePrivateFolder } from "@toolpacks/files";
import type { HandleMode, MessageStreams, RelayValues } from "@toolpacks/relay";
import { userFolders } from "@toolpacks/settings";
import { type Io, printError } from "@toolpacks/terminal";
import { connectRemote } from "@toolpacks/upstream";
import { ServerProcess, type ProcessEnd } from "@toolpacks/upstream/process";

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
export async function relay(io: Io, flags: RelayFlags, [program, ...args]: readonly string[]): Promise<number> {
  const { url, header = [], values, thresholdTokens, boxing: mode, maxMessageBytes } = flags;
  if ((program === undefined) === (url === undefined)) {
    throw new ConfigurationError("relay: expected either a server's command after -- or --url");
  }
  if (url === undefined && header.length > 0) throw new ConfigurationError("relay: --header requires --url");
  const onError = (error: unknown) => printError(io, `toolpacks relay: ${errorText(error)}`);
  const server =
    program === undefined
      ? await reachServer({ url: url ?? "", headers: headersOf(header), dataDirectory: dataOf(io), onError })
      : await startServer({ command: program, args, env: io.env, stderr: "inherit" });
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

  // The modules of the relay are loaded while the server starts.
  const { connectRelay, createRelay } = await import("@toolpacks/relay");
  const { clientDone, serverDone } = connectRelay({
    client: { input: io.stdin, output: io.stdout },
    server: server.streams,
    relay: createRelay({ values: await openValues(values), thresholdTokens, mode }),
    maxMessageBytes,
    onError,
  });
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

async function startServer(request: Parameters<typeof ServerProcess.start>[0]): Promise<Server> {
  const child = await ServerProcess.start(request).catch((error: unknown) => {
    throw new ConfigurationError(`relay: ${request.command} cannot be started: ${errorText(error)}`);
  });
  return {
    streams: { input: child.stdout, output: child.stdin },
    ended: child.ended,
    signal: (signal) => child.signal(signal),
    close: (waitMs) => child.close(waitMs),
  };
}

async function reachServer(options: Parameters<typeof connectRemote>[0]): Promise<Server> {
  const remote = await connectRemote(options).catch((error: unknown) => {
    throw new ConfigurationError(`relay: --url ${options.url}: ${errorText(error)}`);
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<ProcessEnd>();
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

function dataOf({ env }: Io): string {
  return path.join(userFolders("toolpacks", env).data, "upstream");
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
      if (name !== undefined && value !== undefined) return [name, value];
      throw new ConfigurationError(`relay: --header ${JSON.stringify(line)}: expected "Name: value"`);
    }),
  );
}
