import type { CallObserver } from "@toolpacks/core";
import type { LogLevel, LogSink } from "./log.ts";
import type { ServerMetrics } from "./server-metrics.ts";

/** The log, metrics and traces of a server. */
export interface Observability {
  /** Writes the log as JSON lines. Undefined: the log is plain text. */
  readonly sink: LogSink | undefined;
  /** Creates the observer of calls for a log of this level. Over HTTP, it logs each call at the level `info`. */
  observer(level: LogLevel): CallObserver;
  /** Counts a call of the store that failed because the store cannot be used. */
  readonly onStoreError: () => void;
  /** What an HTTP host counts, and the metrics that it serves. Undefined on stdio. */
  readonly http: ServerMetrics["http"] | undefined;
  /** Resolves when the lines of the log that wait are written, or cannot be. To be called before the process ends. */
  flush(): Promise<void>;
}
