// A server's process without the pack around it, apart so that a start which needs none does not load it.
export { ServerProcess, type ProcessEnd, type ServerCommand } from "./server-process.ts";
