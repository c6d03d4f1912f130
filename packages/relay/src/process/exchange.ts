import { isObject } from "@toolpacks/core";
import pLimit from "p-limit";
import { createAddedTool, type AddedTool } from "../client/added-tool.ts";
import { ServerTools } from "../client/server-tools.ts";
import type { Relay } from "../create-relay.ts";
import { PendingRequests } from "./pending-requests.ts";

/** State that both directions of one connection share. */
export interface Exchange extends ExchangeOptions {
  readonly tools: ServerTools;
  readonly added: AddedTool;
  readonly pending: PendingRequests;
  /** Requests that the relay answers itself. */
  readonly running: Set<RunningRequest>;
  /** Reads resources one at a time: each may take 64 MiB. */
  readonly readInTurn: ReturnType<typeof pLimit>;
}

export interface ExchangeOptions {
  readonly relay: Relay;
  /** Maximum size of one message in bytes, also of messages that the relay creates. */
  readonly maxMessageBytes: number;
  readonly sendToClient: (message: object) => void;
  /** Resolves when the client has read most of what was sent to it; undefined where it has. */
  readonly clientDrained: () => Promise<void> | undefined;
  readonly onError: (error: unknown) => void;
}

export interface RunningRequest {
  readonly id: unknown;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** Fields of a JSON object. Their types are not validated. */
export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return isObject(value) ? value : undefined;
}

/** Some servers and clients write an absent field as null. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

export function createExchange(options: ExchangeOptions): Exchange {
  const { relay } = options;
  return {
    ...options,
    tools: new ServerTools(relay),
    added: createAddedTool(relay),
    pending: new PendingRequests(),
    running: new Set(),
    readInTurn: pLimit(1),
  };
}
