// The server process without the pack, so that `toolpacks relay` does not load the pack.
export { ServerProcess, type ProcessEnd, type ServerCommand } from "./server-process.ts";
