import { randomBytes } from "node:crypto";
import type { CallObserver } from "@toolpacks/core";
import { cleanName, outcomeOf } from "./call-labels.ts";
import type { FinishedCall } from "./observability.ts";
import type { Telemetry } from "./telemetry.ts";

export interface CallListener {
  onStart?(): void;
  onEnd(call: FinishedCall): void;
}

const processId = randomBytes(4).toString("hex");
let calls = 0;

/** Creates the observer that gives each call an id and a span, and notifies the listeners when it ends. */
export function observeCalls(listeners: readonly CallListener[], telemetry: Telemetry | undefined): CallObserver {
  return async ({ name, context: received }, run) => {
    calls += 1;
    const id = `${processId}-${calls}`;
    const parent = received.callId;
    const context = { ...received, callId: id };
    let { trace } = received;
    for (const listener of listeners) listener.onStart?.();
    const started = performance.now();
    const end = await (telemetry === undefined
      ? run(context)
      : telemetry.observe({ id, parent, context }, (traced) => {
          trace = traced.trace;
          return run(traced);
        }));
    const finished: FinishedCall = {
      id,
      parent,
      context,
      tool: end.entry?.tool.name ?? cleanName(name),
      facet: end.entry?.facet,
      outcome: outcomeOf(end),
      ms: Math.round((performance.now() - started) * 100) / 100,
      trace,
    };
    for (const listener of listeners) listener.onEnd(finished);
    return end;
  };
}
