import type { Socket } from "node:net";
import { ToolError, type Failure } from "@toolpacks/core";
import { stackLines } from "@toolpacks/terminal";
import type { RequestEvent, RequestKind } from "../commands/tool-requests.ts";
import { ConfigurationError } from "../configuration-error.ts";
import type { Log } from "../log.ts";

/** The first message of a server on each connection. A server that has sent it does not end before the connection does. */
export interface Greeting {
  readonly pid: number;
  /** The folder in which the server was started. */
  readonly folder: string;
  /** ISO 8601. */
  readonly started: string;
  /** The log of the server's start. */
  readonly log: readonly LogLine[];
}

/** Messages of a command. Each is one line of JSON. */
export type CommandMessage =
  | { readonly id: number; readonly kind: RequestKind; readonly request: unknown }
  | { readonly id: number; readonly kind: "cancel" }
  /** Ends the server after the running requests. */
  | { readonly kind: "stop" };

/** Messages of a server after the greeting. */
export type ServerMessage =
  | { readonly id: number; readonly event: RequestEvent }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: SentError }
  | { readonly log: LogLine };

/** A line of the log, which each command prints if its level says so. */
export type LogLine = readonly [level: keyof Log, message: string, cause: readonly string[]];

type SentError =
  | { readonly problems: readonly string[] }
  | { readonly failure: Failure }
  /** The stack of any other error. */
  | { readonly stack: readonly string[] };

export function sendMessage(socket: Socket, message: Greeting | CommandMessage | ServerMessage): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls a function with each message that a socket receives. */
export function onMessage(socket: Socket, handle: (message: unknown) => void): void {
  let parts: string[] = [];
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    const [first = "", ...others] = chunk.split("\n");
    parts.push(first);
    for (const next of others) {
      handle(JSON.parse(parts.join("")));
      parts = [next];
    }
  });
}

/** The form in which an error is sent, so that a command prints it as if it had happened there. */
export function sentError(error: unknown): SentError {
  if (error instanceof ConfigurationError) return { problems: error.problems };
  if (!ToolError.is(error)) return { stack: stackLines(error) };
  const { code, message, hint } = error;
  return { failure: { code, message, ...(hint !== undefined && { hint }) } };
}

/** The error that was sent. */
export function receivedError(error: SentError): Error {
  if ("problems" in error) return new ConfigurationError(...error.problems);
  if ("failure" in error) return new ToolError(error.failure.code, error.failure.message, error.failure.hint);
  return Object.assign(new Error(error.stack[0]), { stack: error.stack.join("\n") });
}
