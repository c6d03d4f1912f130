import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "@toolpacks/access";

/** A request on its way through the checks, with what they have found. */
export interface HttpRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path of the request target, without its query. */
  path: string;
  caller: Caller;
  /** The parsed body. */
  body: unknown;
  /** Whether the body opens a stream of notifications that stays open. */
  isSubscription: boolean;
  /** Id of the JSON-RPC request. */
  id: string | number | null;
  /** Ends the counts of `untilFinished`. Called for a request that becomes a stream, which stays open. */
  finish: () => void;
}

type Passed = Promise<void> | void;

/** Checks a request: passes it on with `next`, answers it, or throws a RequestRefusal. */
export type HttpCheck = (request: HttpRequest, next: () => Passed) => Passed;

/** Runs a request through checks, each of which decides whether the next one runs. */
export async function runChecks(checks: readonly HttpCheck[], request: HttpRequest): Promise<void> {
  const run = (at: number): Passed => checks[at]?.(request, () => run(at + 1));
  await run(0);
}

/** A request that no check has seen yet. */
export function newRequest(request: IncomingMessage, response: ServerResponse): HttpRequest {
  return {
    request,
    response,
    path: request.url ?? "",
    caller: { principal: { id: "", access: undefined }, auth: undefined },
    body: undefined,
    isSubscription: false,
    id: null,
    finish: () => {},
  };
}

/** The client closed the connection. No response can be sent. */
export class ClientGone extends Error {}

/**
 * Calls `release` when the response is closed, or when `finish` is called. A response that is closed already emits no event any more.
 *
 * @param release may be called several times
 * @throws ClientGone if the response is closed
 */
export function untilFinished(found: HttpRequest, release: () => void): void {
  const { finish } = found;
  found.finish = () => {
    finish();
    release();
  };
  releaseAtClose(found.response, release);
}

/** Calls `release` when the response is closed. @throws ClientGone if it is */
export function releaseAtClose(response: ServerResponse, release: () => void): void {
  if (!response.destroyed) {
    response.once("close", release);
    return;
  }
  release();
  throw new ClientGone("the client closed the connection");
}
