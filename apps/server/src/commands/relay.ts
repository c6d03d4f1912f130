import { constants } from "node:os";
import path from "node:path";
import { ConfigurationError, errorText, withTimeout } from "@toolpacks/core";
import { makePrivateFolder } from "@toolpacks/files";
import type { HandleMode, RelayValues } from "@toolpacks/relay";
import { type Io, printError } from "@toolpacks/terminal";
import { ServerProcess } from "@toolpacks/upstream/process";

export interface RelayFlags {
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
  const { values, thresholdTokens, boxing: mode, maxMessageBytes } = flags;
  if (program === undefined) throw new ConfigurationError("relay: expected a server's command after --");
  const onError = (error: unknown) => printError(io, `toolpacks relay: ${errorText(error)}`);
  const server = await ServerProcess.start({ command: program, args, env: io.env, stderr: "inherit" }).catch(
    (error: unknown) => {
      throw new ConfigurationError(`relay: ${program} cannot be started: ${errorText(error)}`);
    },
  );
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
    server: { input: server.stdout, output: server.stdin },
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
