import { setTimeout as delay } from "node:timers/promises";
import { createCallCount, withTimeout } from "@toolpacks/core";
import { untilFinished, type HttpCheck } from "../http-check.ts";
import type { Readiness } from "../readiness.ts";
import { retryLater, sendJson } from "../refusal.ts";

/** Time after a request for `/readyz` in which a load balancer is assumed to use this server, in ms. */
const probeMemoryMs = 60_000;

/** Minimum time that such a load balancer gets to notice that the server is not ready, in ms. Enough for two probes at an interval of 1 s. */
const noticeMs = 3_000;

/** Counts running requests, and ends them in order. */
export class Shutdown {
  readonly #readiness: Readiness | undefined;
  readonly #running = createCallCount();
  #isDraining = false;
  /** Time of the last request for `/readyz`, in ms since 1970. */
  #probedAt = 0;

  constructor(readiness?: Readiness) {
    this.#readiness = readiness;
  }

  /** Counts a request until it is finished. A stream that stays open is not waited for. */
  readonly count: HttpCheck = (found, next) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    untilFinished(found, resolve);
    void this.#running.run(() => promise);
    return next();
  };

  /**
   * Answers `/healthz` and `/readyz`. Probes use addresses that no setting names, so this is before the check of `Host`. The answers contain nothing
   * about callers.
   */
  readonly answerProbes: HttpCheck = async ({ path, response }, next) => {
    if (path === "/healthz") return sendJson(response, { status: 200, body: { status: "ok" } });
    if (path !== "/readyz") return next();
    this.#probedAt = Date.now();
    const reason = this.#isDraining ? "the server is shutting down" : await this.#readiness?.problem();
    if (reason === undefined) sendJson(response, { status: 200, body: { status: "ready" } });
    else sendJson(response, { status: 503, body: { status: "not ready", reason } });
  };

  readonly refuseWhileDraining: HttpCheck = ({ response }, next) => {
    if (!this.#isDraining) return next();
    response.shouldKeepAlive = false;
    throw retryLater({ status: 503, rule: "shutdown", message: "the server is shutting down" }, 1_000);
  };

  /**
   * Refuses further requests. Resolves when no call runs, or after the time. A load balancer that asks for readiness first gets time to notice:
   * it may be sending a request on an idle connection, and a request whose connection closes cannot be repeated safely.
   */
  async drain(maxMs: number): Promise<void> {
    const isProbed = Date.now() - this.#probedAt < probeMemoryMs;
    this.#isDraining = true;
    const idle = withTimeout(this.#running.idle(), { ms: maxMs, onTimeout: () => {} });
    await Promise.all([idle, ...(isProbed ? [delay(noticeMs)] : [])]);
  }
}
