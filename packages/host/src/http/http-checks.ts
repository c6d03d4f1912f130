import { isLoopback } from "@toolpacks/access";
import type { PackLog } from "@toolpacks/core";
import type { InteractiveCalls } from "@toolpacks/surface";
import type { SurfaceFor } from "../served-surface.ts";
import { answerRefusals } from "./checks/answer-refusals.ts";
import { authenticate } from "./checks/authenticate.ts";
import { SurfaceCalls } from "./checks/call-surface.ts";
import { checkMessage } from "./checks/check-message.ts";
import { checkHostNames } from "./checks/check-host-names.ts";
import type { HttpCheck } from "./http-check.ts";
import type { HttpHostOptions, HttpSettings } from "./http-host-options.ts";
import { maxConnections } from "./http-server.ts";
import { CallLimits } from "./checks/limit-calls.ts";
import { limitRate } from "./checks/limit-rate.ts";
import { memoryRateLimiter } from "./memory-rate-limiter.ts";
import { checkMessageHead } from "./checks/check-message-head.ts";
import { OpenStreams } from "./checks/open-streams.ts";
import type { Readiness } from "./readiness.ts";
import { readBody } from "./checks/read-body.ts";
import { readTarget } from "./checks/read-target.ts";
import { answerDocuments, answerMetrics } from "./checks/service-paths.ts";
import { Shutdown } from "./checks/shutdown.ts";
import { checkSingleHeaders } from "./checks/check-single-headers.ts";

/** Maximum requests of all callers at the same time. Each may hold a body and a result in memory. */
const maxTotalCalls = 512;

interface CheckOptions extends HttpHostOptions {
  readonly settings: HttpSettings;
  readonly log: PackLog;
  readonly readiness: Readiness;
  readonly surfaceFor: SurfaceFor;
  /** Calls that wait for answers of their users. */
  readonly interactiveCalls: InteractiveCalls;
}

/** The checks of an HTTP host in their order, from the cheapest to the call. */
export function httpChecks(options: CheckOptions) {
  const { settings, authenticator, observability, rateLimiter = memoryRateLimiter() } = options;
  const { host, path, maxBodyBytes, maxCalls, maxStreams, rate } = settings;
  const shutdown = new Shutdown(options.readiness);
  const admit = authenticate(authenticator, rateLimiter);
  const admitToMetrics: HttpCheck = isLoopback(host) ? (_, next) => next() : admit;
  const limits = new CallLimits({ maxCalls, maxStreams, maxTotalCalls });
  const streams = new OpenStreams(options);
  const calls = new SurfaceCalls({ ...options, maxBodyBytes, maxSubscriptions: maxConnections });
  const checks: readonly HttpCheck[] = [
    answerRefusals(options.log, observability),
    shutdown.count,
    readTarget,
    shutdown.answerProbes,
    shutdown.refuseWhileDraining,
    checkSingleHeaders,
    checkHostNames(settings),
    ...(observability === undefined ? [] : [answerMetrics(observability, admitToMetrics)]),
    answerDocuments(authenticator, path),
    // Before the check of the method, because a client whose POST is refused may try GET, and shows the last status.
    admit,
    checkMessageHead(maxBodyBytes),
    limitRate(rateLimiter, rate),
    limits.limitRequest,
    readBody(maxBodyBytes),
    checkMessage,
    limits.limitStreams,
    streams.follow,
    calls.answer,
  ];
  return { checks, shutdown, streams, calls };
}
