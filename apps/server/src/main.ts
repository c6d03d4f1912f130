import { findRoute } from "./command-line/program.ts";
import { processIo } from "@toolpacks/terminal";
import { runCli } from "./run-cli.ts";

const io = processIo();
const code = await runCli(io);
process.exitCode ??= code;
const route = findRoute(io.args);
const isServer = "entry" in route && route.entry.isServer === true;
// A pack may leave timers behind in a server. Other commands end when what they write in the background is written.
if (isServer || process.stdout.errored !== null) process.exit();
