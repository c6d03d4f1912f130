import { processIo } from "./io.ts";
import { runCli } from "./run-cli.ts";

const { stdout, stderr } = process;
const code = await runCli(processIo());
process.exitCode ??= code;
// A command may leave timers or an open stdin behind. What it wrote must reach the reader first.
stdout.write("", () => stderr.write("", () => process.exit()));
