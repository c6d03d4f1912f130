import { connect, type Socket } from "node:net";
import path from "node:path";
import { ToolError } from "@toolpacks/core";
import type { OpenRequests, RequestOptions } from "../commands/tool-requests.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import type { Flags, Settings } from "../config/settings.ts";
import { createLog, printLog, isLogged, type LogLevel } from "../log.ts";
import { onMessage, receivedError, sendMessage, type Greeting, type LogLine, type ServerMessage } from "./messages.ts";
import { socketAddress } from "./place.ts";
import { restMinutes } from "./rest-minutes.ts";

/**
 * Connects to the warm server of the same settings, which is started if there is none. Undefined where none can be used, for whatever reason: the command then
 * does the same in its own process.
 *
 * @throws ConfigurationError as the command would without a warm server
 */
export async function connectWarm(
  flags: Flags,
  { quiet }: { readonly quiet: LogLevel },
): Promise<OpenRequests | undefined> {
  if (restMinutes() === 0) return undefined;
  const settings = await resolveSettings(flags, process.env, process.cwd());
  if (hasOwnModule(settings)) return undefined;
  const connection = await findServer(flags, settings).catch(() => undefined);
  if (connection === undefined) return undefined;
  const log = createLog(settings.logLevel.value);
  for (const warning of settings.warnings) log.warn(warning);
  return openRequests(connection, flags.logLevel ?? quiet);
}

/** Whether the config file names packs by path. They may be in development: a warm server would not see a change of the modules that they import. */
function hasOwnModule({ packs }: Settings): boolean {
  return Object.entries(packs).some(
    ([name, options]) => options !== false && (name.startsWith(".") || path.isAbsolute(name)),
  );
}

async function findServer(flags: Flags, settings: Settings) {
  const { serverName } = await import("./identity.ts");
  const name = serverName(settings);
  if (name === undefined) return undefined;
  const address = socketAddress(name);
  const found = await connectTo(address);
  return found === "none" ? (await import("./launch-server.ts")).launchServer(flags, { name, address }) : found;
}

/** A connection whose server has greeted, so that it does not end before the connection does. */
export interface Connection {
  readonly socket: Socket;
  readonly greeting: Greeting;
}

/** Maximum time until a server greets, in ms. */
const greetingTimeoutMs = 1_000;

/** Connects to a server. `none`: none listens, so its socket can be replaced. Undefined: it ends, or does not answer in time. */
export function connectTo(address: string): Promise<Connection | "none" | undefined> {
  const { promise, resolve } = Promise.withResolvers<Connection | "none" | undefined>();
  const socket = connect(address);
  const timer = setTimeout(() => socket.destroy(), greetingTimeoutMs);
  socket.on("error", (error) => {
    if ("code" in error && (error.code === "ECONNREFUSED" || error.code === "ENOENT")) resolve("none");
  });
  socket.once("close", () => resolve(undefined));
  void promise.then(() => clearTimeout(timer));
  onMessage(socket, (message) => {
    // The messages after the greeting are for the listeners of the connection.
    if (isGreeting(message)) resolve({ socket, greeting: message });
    else socket.emit("message", message);
  });
  return promise;
}

function isGreeting(message: unknown): message is Greeting {
  return typeof message === "object" && message !== null && "pid" in message;
}

interface Waiting extends Pick<RequestOptions, "onEvent"> {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Sends requests over a connection. */
function openRequests({ socket, greeting }: Connection, level: LogLevel): OpenRequests {
  const print = ([of, text, cause]: LogLine) => {
    if (isLogged(of, level)) printLog(of, text, cause);
  };
  for (const line of greeting.log) print(line);
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  socket.on("message", (message: ServerMessage) => {
    if ("log" in message) return print(message.log);
    const request = waiting.get(message.id);
    if ("event" in message) return request?.onEvent(message.event);
    waiting.delete(message.id);
    if ("error" in message) request?.reject(receivedError(message.error));
    else request?.resolve(message.answer as never);
  });
  const lost = () =>
    new ToolError("unavailable", "the warm server ended before its answer", "The call may have had effects.");
  socket.once("close", () => {
    for (const { reject } of waiting.values()) reject(lost());
  });
  return {
    async send(kind, request, { signal, onEvent }) {
      if (socket.destroyed) throw lost();
      const id = (lastId += 1);
      const { promise, resolve, reject } = Promise.withResolvers<never>();
      waiting.set(id, { resolve, reject, onEvent });
      signal.addEventListener("abort", () => sendMessage(socket, { id, kind: "cancel" }), { once: true });
      sendMessage(socket, { id, kind, request });
      return promise;
    },
    async close() {
      socket.destroy();
    },
  };
}
