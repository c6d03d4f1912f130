import { createAddedTool, type AddedTool } from "../client/added-tool.ts";
import { ServerTools } from "../client/server-tools.ts";
import type { Relay } from "../create-relay.ts";
import type { Threshold } from "../box/thresholds.ts";
import { PendingRequests } from "./pending-requests.ts";

/** What both directions know of one client and one server. */
export interface Exchange {
  readonly relay: Relay;
  readonly tools: ServerTools;
  readonly added: AddedTool;
  readonly pending: PendingRequests;
  /** The most bytes of an answer in which nothing can be large enough to be boxed. */
  readonly smallBytes: (tool: string) => number;
  /** Requests that are answered here, by id. */
  readonly running: Map<unknown, Running>;
  /** Writes a message to the client. */
  readonly tell: (message: object) => void;
  /** Answers that are being made here. */
  readonly answering: Set<Promise<void>>;
  /** Settles when the client has taken most of what was written to it. */
  readonly drained: () => Promise<void> | undefined;
  /** Writes a message to the server. */
  readonly tellServer: (message: object) => void;
  readonly onError: (error: unknown) => void;
}

export interface Running {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Fields of a message; nothing of them is certain. */
export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Some write a field that is not there as null. */
export function isNone(value: unknown): boolean {
  return value === undefined || value === null;
}

export function createExchange(
  given: Pick<Exchange, "relay" | "tell" | "tellServer" | "drained" | "onError">,
): Exchange {
  const { relay } = given;
  const small = new Map<string, number>();
  return {
    ...given,
    tools: new ServerTools(relay),
    added: createAddedTool(relay),
    pending: new PendingRequests(),
    running: new Map(),
    answering: new Set(),
    smallBytes: (tool) => {
      const known = small.get(tool) ?? smallBytes(relay.boxer(tool).threshold);
      small.set(tool, known);
      return known;
    },
  };
}

/** No longer line is told by its length: images have a threshold of their own. */
const mostSmall = 4_096;

/** No text in a line is longer than the line, and a token is at least a byte. */
function smallBytes(threshold: Threshold): number {
  if (threshold === false) return mostSmall;
  return Math.min(mostSmall, typeof threshold === "number" ? threshold : threshold.tokens);
}
