import type { CallObserver, ObservedCall, TraceContext } from "@toolpacks/core";
import { cleanName, outcomeOf } from "./call-labels.ts";
import type { Telemetry } from "./telemetry.ts";

/** A finished call, as logs and metrics show it. */
export interface FinishedCall extends Pick<ObservedCall, "id" | "parent" | "context"> {
  /** The name of the called tool, or the name in the request if no such tool can be called: cleaned, and at most 64 characters. */
  readonly tool: string;
  /** Undefined if no tool of the name can be called. */
  readonly facet: string | undefined;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
  readonly ms: number;
  readonly trace: TraceContext | undefined;
}

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
