import type { CallObserver } from "@toolpacks/core";
import { cleanName, outcomeOf } from "./call-labels.ts";
import type { FinishedCall } from "./observability.ts";
import type { Telemetry } from "./telemetry.ts";

export interface CallListener {
  onStart?(): void;
  onEnd(call: FinishedCall): void;
}

/** Creates the observer that gives each call a span, and notifies the listeners when it ends. */
export function observeCalls(listeners: readonly CallListener[], telemetry: Telemetry | undefined): CallObserver {
  return async (call, run) => {
    const { id, parent, name, context } = call;
    let { trace } = context;
    for (const listener of listeners) listener.onStart?.();
    const started = performance.now();
    const end = await (telemetry === undefined
      ? run(context)
      : telemetry.observe(call, (traced) => {
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
