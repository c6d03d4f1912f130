export { createLog, isLogged, logLevels, type LogLevel, type LogSink } from "./log.ts";
export type { Observability } from "./observability.ts";
export { openObservability } from "./open-observability.ts";
