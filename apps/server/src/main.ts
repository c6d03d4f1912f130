import { CommanderError } from "commander";
import { ToolError } from "@toolpacks/core";
import { stackLines } from "@toolpacks/terminal";
import { createProgram } from "./command-line/program.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { printError } from "./print.ts";

/** Exit code for an error in flags, environment or config file. */
const configurationExitCode = 2;

try {
  const program = createProgram();
  if (process.argv.some((word) => word === "--help" || word === "-h")) {
    (await import("./command-line/describe-help.ts")).describeHelp(program);
  }
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : configurationExitCode);
  if (error instanceof ConfigurationError) {
    printError(...error.problems.map((problem) => `toolpacks: ${problem}`));
    process.exit(configurationExitCode);
  }
  if (ToolError.is(error)) {
    const { code, message, hint } = error;
    printError(`toolpacks: ${code}: ${message}`, ...(hint === undefined ? [] : [hint]));
    process.exit(1);
  }
  // Print the stack ourselves: Node would print the source line, and the bundle is one line.
  const [first = "", ...others] = stackLines(error);
  printError(`toolpacks: ${first}`, ...others);
  process.exit(1);
}
