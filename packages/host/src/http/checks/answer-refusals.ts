import type { PackLog } from "@toolpacks/core";
import { ClientGone, type HttpCheck } from "../http-check.ts";
import type { HttpObservability } from "../http-host-options.ts";
import { RequestRefusal, sendRefusal } from "../refusal.ts";

const internal = { status: 500, rule: "internal", message: "internal error; the log of the server has the details" };

/** Answers requests that a later check refuses or fails to handle, and counts all responses. Never rejects. */
export function answerRefusals(log: PackLog, observability: HttpObservability | undefined): HttpCheck {
  return async ({ request, response }, next) => {
    response.once("close", () => observability?.onResponse(response.statusCode));
    try {
      await next();
    } catch (error) {
      if (error instanceof ClientGone) return observability?.onRefusal("client-gone");
      const refusal = error instanceof RequestRefusal ? error.options : internal;
      if (refusal === internal) log.error("a request over HTTP failed", error);
      sendRefusal(request, response, refusal);
      if (refusal === internal && !response.writableEnded) response.destroy();
      observability?.onRefusal(refusal.rule);
    }
  };
}
