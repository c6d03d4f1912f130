import { collect, parseCount, plainCommand, printFailure } from "@toolpacks/command-line";
import type { Io } from "@toolpacks/terminal";
import { InvalidArgumentError, Option, type Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { boxings } from "../open-boxed.ts";
import type { CommandFlags } from "./run-command.ts";

const name = "toolpacks-cases";

/** Runs the command, and resolves to its exit code. */
export async function main(io: Io): Promise<number> {
  const { args: argv } = io;
  const separator = argv.indexOf("--");
  const args = argv.slice(0, separator === -1 ? undefined : separator);
  let code = 0;
  const run = async (globs: readonly string[], flags: CommandFlags) => {
    const command = separator === -1 ? undefined : argv.slice(separator + 1);
    code = await (await import("./run-command.ts")).runCommand(io, globs, { ...flags, command });
  };
  try {
    await createProgram(io, run).parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return printFailure(io, name, error);
  }
}

function createProgram(io: Io, run: (globs: readonly string[], flags: CommandFlags) => Promise<void>): Command {
  return plainCommand(io, name)
    .description("Sends prompt files to a model, and checks which tools the model calls.")
    .usage("[options] <globs...> [-- <command> [args...]]")
    .version(manifest.version)
    .argument("<globs...>", "Markdown files: front matter with the expected calls, and the prompt below it")
    .option(
      "--profile <name>",
      "endpoint: <NAME>_BASE_URL, _MODEL, _API_KEY … (repeatable; default: toolpacks)",
      collect,
    )
    .option("--model <name>", "model, overrides the profile's (repeatable)", collect)
    .option("--temperature <degree>", "0 to 2, overrides the profile's", parseNumber)
    .option("--max-retries <count>", "retries of a request that fails (default: 2)", parseRetries)
    .option("--timeout <seconds>", "timeout of one conversation (default: 600)", parseCount)
    .addOption(new Option("--boxing <mode>", "form of long results (default: opaque handles)").choices([...boxings]))
    .option("--few-shot", "show the model examples of how handles are used")
    .option("--zero-shot", "with --few-shot: also run each case without examples")
    .option("--url <address>", "the server under test, over Streamable HTTP")
    .option("--config <file>", "config file whose mcpServers has the server under test")
    .option("--server <name>", "the server's name in --config, if the file has several")
    .option("--print-tools", "show the tools on stderr, as the model gets them")
    .option("--dump-context", "show each whole conversation, on stderr or in --json")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nAfter `--`: the command that starts the server under test. Without a server, the tools are simulated.\n" +
        "  toolpacks-cases 'cases/*.md' -- npx toolpacks serve --root .",
    )
    .action(run);
}

function parseRetries(text: string): number {
  return text === "0" ? 0 : parseCount(text);
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number >= 0) return number;
  throw new InvalidArgumentError("expected a number from 0");
}
