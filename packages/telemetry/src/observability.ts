import type { CallObserver, ObservedCall, TraceContext } from "@toolpacks/core";
import type { LogLevel, LogSink } from "./log.ts";

/** The log, metrics and traces of a server. */
export interface Observability {
  /** Writes the log as JSON lines. Undefined: the log is plain text. */
  readonly sink: LogSink | undefined;
  /** Creates the observer of calls for a log of this level. Over HTTP, it logs each call at the level `info`. */
  observer(level: LogLevel): CallObserver;
  /** Counts a call of the store that failed because the store cannot be used. */
  readonly onStoreError: () => void;
  /** Undefined on stdio. */
  readonly http: HttpObservability | undefined;
  /** Resolves when the lines of the log that wait are written, or cannot be. To be called before the process ends. */
  flush(): Promise<void>;
}

/** What the HTTP host counts, and the metrics that it serves. */
export interface HttpObservability {
  /** Counts a request by the status of its response. */
  onResponse(status: number): void;
  /** Counts a request that the guard refuses. The reason is one of a few fixed names, such as `origin`. */
  onRefusal(reason: string): void;
  /** Counts an open stream. Returns a function that counts its end, at its first call. */
  onStream(): () => void;
  /** The metrics of this process in the format of Prometheus. */
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
}

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
