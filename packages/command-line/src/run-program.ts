import { CommanderError } from "commander";
import { ConfigurationError, ToolError } from "@toolpacks/core";
import { type Io, printError, stackLines, stdoutError } from "@toolpacks/terminal";
import { findRoute } from "./find-route.ts";
import { runEntry } from "./parser.ts";
import type { Program } from "./program.ts";

/** Exit code for an error in flags, environment or config file. */
const configurationExitCode = 2;

/** Runs the command that the words of `io` select. Resolves with its exit code, and never rejects. */
export async function runProgram(io: Io, program: Program): Promise<number> {
  const print = (error: unknown) => printFailure(io, program.name, error);
  try {
    const run = runRoute(io, program);
    return await (isServer(program, io.args) ? run : Promise.race([run, stdoutFailure(io, print)]));
  } catch (error) {
    return print(error);
  }
}

/** Whether the words select a command that serves until its client ends. */
export function isServer(program: Program, words: readonly string[]): boolean {
  const route = findRoute(program, words);
  return "entry" in route && route.entry.isServer === true;
}

async function runRoute(io: Io, program: Program): Promise<number> {
  const route = findRoute(program, io.args);
  if ("entry" in route) return runEntry(io, program.name, route);
  if ("help" in route) {
    (await import("./show-help.ts")).printHelp(io, program, route);
    return route.isError === true ? configurationExitCode : 0;
  }
  const others = await program.others?.();
  if (others !== undefined) return others.run(io, route.unknown);
  throw (await import("./unknown-command.ts")).unknownCommand(program, route.unknown);
}

/** Resolves with an exit code when stdout cannot be written to. Nothing is printed if its reader has closed the pipe, as `head` does. */
function stdoutFailure(io: Io, print: (error: unknown) => number): Promise<number> {
  return new Promise((resolve) => {
    io.stdout.once("error", (error: NodeJS.ErrnoException) => {
      resolve(error.code === "EPIPE" ? 0 : print(stdoutError(error)));
    });
  });
}

/** Prints an error of a program. Returns the exit code for it. */
export function printFailure(io: Io, name: string, error: unknown): number {
  // The parser has printed its own errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : configurationExitCode;
  if (error instanceof ConfigurationError) {
    printError(io, ...error.problems.map((problem) => `${name}: ${problem}`));
    return configurationExitCode;
  }
  if (ToolError.is(error)) {
    const { code, message, hint } = error;
    printError(io, `${name}: ${code}: ${message}`, ...(hint === undefined ? [] : [hint]));
    return 1;
  }
  // Print the stack ourselves: Node would print the source line, and the bundle is one line.
  const [first = "", ...others] = stackLines(error);
  printError(io, `${name}: ${first}`, ...others);
  return 1;
}
