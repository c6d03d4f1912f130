import type { Client } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { ChildTransport } from "./child-transport.ts";
import { endOf, streamFailures } from "./connect.ts";

/** Adds how the server's process ended, and its last output. */
export function withCause(failure: ToolError, transport: Client["transport"]): ToolError {
  const streamFailure = transport === undefined ? undefined : streamFailures.get(transport);
  if (streamFailure !== undefined) return streamFailure;
  const isEnded = transport instanceof ChildTransport && transport.end !== undefined;
  if (!isEnded || failure.code !== "unavailable") return failure;
  return new ToolError(failure.code, `${failure.message}: ${whyStopped(transport)}`, failure.hint);
}

/** How a connection ended, with the last output of its process. */
export function whyStopped(transport: Client["transport"]): string {
  if (!(transport instanceof ChildTransport)) return "it stopped";
  const { end, lastWords } = transport;
  const how = end === undefined ? "it stopped" : `it ${endOf(end)}`;
  return lastWords === "" ? how : `${how}; stderr: ${lastWords}`;
}
