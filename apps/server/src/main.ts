import { isServer, runProgram } from "@toolpacks/command-line";
import { processIo } from "@toolpacks/terminal";
import { program } from "./command-line/commands.ts";

const io = processIo();
const code = await runProgram(io, program);
process.exitCode ??= code;
// A pack may leave timers behind in a server. Other commands end when what they write in the background is written.
if (isServer(program, io.args) || process.stdout.errored !== null) process.exit();
