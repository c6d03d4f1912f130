import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { isLoopback, type Caller, type Principal } from "@toolpacks/access";
import { ConfigurationError } from "@toolpacks/core";
import type { ServedSurface, SurfaceFor } from "../served-surface.ts";
import type { InteractiveCalls } from "@toolpacks/surface";
import { CallLimits } from "./call-limits.ts";
import { CallerCheck } from "./caller-check.ts";
import { createHostNames, type HostNames } from "./host-names.ts";
import type { HttpHostOptions } from "./http-host-options.ts";
import { maxConnections } from "./http-server.ts";
import { checkBody } from "./message-check.ts";
import { OpenStreams } from "./open-streams.ts";
import { memoryRateLimiter } from "./memory-rate-limiter.ts";
import { RequestRefusal, retryLater, sendRefusal } from "./refusal.ts";
import { ClientGone, readJson } from "./request-body.ts";
import { checkMessageHead, checkSingleHeaders, targetPath } from "./request-head.ts";
import { answerDocument, answerHealth, answerMetrics, checkReads } from "./service-paths.ts";
import { SurfaceHandlers } from "./surface-handlers.ts";

/** Maximum requests of all callers at the same time. Each may hold a body and a result in memory. */
const maxTotalCalls = 512;

/** Time after a request for `/readyz` in which a load balancer is assumed to use this server, in ms. */
const probeMemoryMs = 60_000;

/** Minimum time that such a load balancer gets to notice that the server is not ready, in ms. Enough for two probes at an interval of 1 s. */
const noticeMs = 3_000;

export interface PipelineOptions extends HttpHostOptions {
  /** Calls that wait for answers of their users. */
  readonly interactiveCalls: InteractiveCalls;
}

/** Answers the requests of an HTTP server: checks them in order, from the cheapest check to the call. */
export class RequestPipeline {
  readonly #options: PipelineOptions;
  readonly #surfaceFor: SurfaceFor;
  readonly #names: HostNames;
  readonly #limits: CallLimits;
  readonly #callers: CallerCheck;
  readonly #handlers: SurfaceHandlers;
  readonly #unwatch: () => void;
  readonly streams: OpenStreams;
  /** Responses that are not finished, without streams. */
  readonly #running = new Set<ServerResponse>();
  #idle: (() => void) | undefined;
  #isDraining = false;
  /** Time of the last request for `/readyz`, in ms since 1970. */
  #probedAt = 0;

  constructor(options: PipelineOptions, surfaceFor: SurfaceFor) {
    const { settings, authenticator, version, log, openBus, interactiveCalls } = options;
    const { maxBodyBytes, maxCalls, maxStreams, rate } = settings;
    const rateLimiter = options.rateLimiter ?? memoryRateLimiter();
    const onError = (error: Error) => log.debug(`http: ${error.message.slice(0, 500)}`);
    this.#options = options;
    this.#surfaceFor = surfaceFor;
    this.#names = createHostNames(settings);
    this.#limits = new CallLimits({ maxCalls, maxStreams, maxTotalCalls });
    this.#callers = new CallerCheck({ authenticator, rateLimiter, rate });
    const shared = { version, openBus, interactiveCalls, onError };
    this.#handlers = new SurfaceHandlers({ ...shared, maxBodyBytes, maxSubscriptions: maxConnections });
    this.streams = new OpenStreams((headers) => this.#callers.callerOf(headers));
    this.#unwatch = authenticator?.watch(() => void this.streams.recheck()) ?? (() => {});
  }

  /** Answers one request. Never rejects. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { observability } = this.#options;
    this.#running.add(response);
    response.once("close", () => {
      this.#running.delete(response);
      if (this.#running.size === 0) this.#idle?.();
      observability?.onResponse(response.statusCode);
    });
    this.#answer(request, response).catch((error: unknown) => {
      const rule = this.#refuse(error, request, response);
      observability?.onRefusal(rule);
    });
  };

  /**
   * Refuses further requests. Resolves when no call runs, or after the time. A load balancer that asks for readiness first gets time to notice:
   * it may be sending a request on an idle connection, and a request whose connection closes cannot be repeated safely.
   */
  async drain(maxMs: number): Promise<void> {
    const isProbed = Date.now() - this.#probedAt < probeMemoryMs;
    this.#isDraining = true;
    await Promise.all([this.#untilIdle(maxMs), ...(isProbed ? [delay(noticeMs)] : [])]);
  }

  async #untilIdle(maxMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, maxMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends all streams with a last message, and aborts running calls. */
  async close(): Promise<void> {
    this.#unwatch();
    await this.#handlers.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { settings, readiness } = this.#options;
    const isDraining = () => this.#isDraining;
    const path = targetPath(request, this.#names);
    if (path === "/readyz") this.#probedAt = Date.now();
    // Probes use addresses that no setting names, so their `Host` is not checked. The answers contain nothing about callers.
    if (await answerHealth(path, response, { readiness, isDraining })) return;
    if (this.#isDraining) {
      response.shouldKeepAlive = false;
      throw retryLater({ status: 503, rule: "shutdown", message: "the server is shutting down" }, 1_000);
    }
    checkSingleHeaders(request);
    this.#names.check(request);
    if (path === settings.path) {
      request.url = path;
      return this.#answerMessage(request, response);
    }
    await this.#answerService(path, request, response);
  }

  /** Answers a request for metrics or for a public document. */
  async #answerService(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { settings, authenticator, observability } = this.#options;
    if (path === "/metrics" && observability !== undefined) {
      checkReads(request.method);
      if (!isLoopback(settings.host)) await this.#callers.authenticate(request);
      return answerMetrics(response, () => observability.metrics());
    }
    if (answerDocument(path, response, authenticator)) return;
    const message = `not found; the MCP endpoint is ${settings.path}`;
    throw new RequestRefusal({ status: 404, rule: "path", message, isPlain: true });
  }

  async #answerMessage(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { maxBodyBytes } = this.#options.settings;
    // First, because a client whose POST is refused may try GET, and shows the last status.
    const caller = await this.#callers.authenticate(request);
    checkMessageHead(request, maxBodyBytes);
    const { principal, auth } = caller;
    await this.#callers.checkRate(caller);
    const finish = this.#limits.startCalls(principal.id);
    releaseAtClose(response, finish);
    const body = await readJson(request, response, maxBodyBytes);
    const { count, isSubscription, id } = checkBody(body, request.headers);
    if (count > 1) {
      await this.#callers.checkRate(caller, count - 1);
      releaseAtClose(response, this.#limits.startCalls(principal.id, count - 1));
    }
    const served = await this.#surfaceOf(principal);
    if (response.destroyed) throw new ClientGone("the client closed the connection");
    if (isSubscription) {
      finish();
      this.#openStream({ response, caller, headers: request.headers, id });
    }
    await this.#handlers.handle(served, { request, response, body, auth });
  }

  /** @throws RequestRefusal with status 403 when the settings do not allow what the access names, such as a root that does not exist */
  async #surfaceOf(principal: Principal): Promise<ServedSurface> {
    try {
      return await this.#surfaceFor(principal);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      this.#options.log.warn(`the access of ${principal.id} cannot be used: ${error.message}`);
      const message = "the access of this token cannot be used now; the log of the server has the reason";
      throw new RequestRefusal({ status: 403, rule: "access", message });
    }
  }

  #openStream(stream: {
    readonly response: ServerResponse;
    readonly caller: Caller;
    readonly headers: IncomingHttpHeaders;
    readonly id: string | number | null;
  }): void {
    const { response, caller, id } = stream;
    releaseAtClose(response, this.#limits.openStream(caller.principal.id, id));
    const { observability } = this.#options;
    if (observability !== undefined) releaseAtClose(response, observability.onStream());
    this.streams.add(stream);
    this.#running.delete(response);
    if (this.#running.size === 0) this.#idle?.();
  }

  /** Sends the response for a failed check. Returns the name of the rule. */
  #refuse(error: unknown, request: IncomingMessage, response: ServerResponse): string {
    if (error instanceof ClientGone) return "client-gone";
    if (error instanceof RequestRefusal) {
      sendRefusal(request, response, error.options);
      return error.options.rule;
    }
    this.#options.log.error("a request over HTTP failed", error);
    const failure = { status: 500, rule: "internal", message: "internal error; the log of the server has the details" };
    sendRefusal(request, response, failure);
    if (!response.writableEnded) response.destroy();
    return failure.rule;
  }
}

/** Calls `release` when the response is closed. A response that is closed already emits no event any more. @throws ClientGone if it is */
function releaseAtClose(response: ServerResponse, release: () => void): void {
  if (!response.destroyed) {
    response.once("close", release);
    return;
  }
  release();
  throw new ClientGone("the client closed the connection");
}
