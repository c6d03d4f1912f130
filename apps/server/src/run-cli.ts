import { CommanderError } from "commander";
import { ConfigurationError, ToolError } from "@toolpacks/core";
import { stackLines, stdoutError, type Io, printError } from "@toolpacks/terminal";
import { findRoute, runEntry } from "./command-line/program.ts";

/** Exit code for an error in flags, environment or config file. */
const configurationExitCode = 2;

/** Runs the command that the words select. Resolves with its exit code, and never rejects. */
export async function runCli(io: Io): Promise<number> {
  const route = findRoute(io.args);
  try {
    if ("unknown" in route) {
      const { runTool } = await import("./tool-commands/run-tool.ts");
      return await Promise.race([runTool(io, route.unknown), stdoutFailure(io)]);
    }
    if ("help" in route) {
      const { help, isError = false } = route;
      (await import("./command-line/show-help.ts")).printHelp(io, help, isError);
      return isError ? configurationExitCode : 0;
    }
    const { entry, rest } = route;
    const run = runEntry(io, entry, rest);
    return await (entry.isServer === true ? run : Promise.race([run, stdoutFailure(io)]));
  } catch (error) {
    return exitCodeOf(io, error);
  }
}

/** Resolves with an exit code when stdout cannot be written to. Nothing is printed if its reader has closed the pipe, as `head` does. */
function stdoutFailure(io: Io): Promise<number> {
  return new Promise((resolve) => {
    io.stdout.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "EPIPE" ? 0 : exitCodeOf(io, stdoutError(error)));
    });
  });
}

/** Prints an error. Returns the exit code for it. */
function exitCodeOf(io: Io, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : configurationExitCode;
  if (error instanceof ConfigurationError) {
    printError(io, ...error.problems.map((problem) => `toolpacks: ${problem}`));
    return configurationExitCode;
  }
  if (ToolError.is(error)) {
    const { code, message, hint } = error;
    printError(io, `toolpacks: ${code}: ${message}`, ...(hint === undefined ? [] : [hint]));
    return 1;
  }
  // Print the stack ourselves: Node would print the source line, and the bundle is one line.
  const [first = "", ...others] = stackLines(error);
  printError(io, `toolpacks: ${first}`, ...others);
  return 1;
}
