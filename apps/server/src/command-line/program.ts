import { Argument, Command } from "commander";
import type { Completion } from "../commands/completion.ts";
import { exitOnStdoutError, writeStdout } from "@toolpacks/terminal";
import { print } from "../print.ts";
import { version } from "../version.ts";
import { addRecordCommands } from "./record-commands.ts";
import { addServeCommands } from "./serve-commands.ts";
import { addSetupCommands } from "./setup-commands.ts";
import { addStoreCommands } from "./store-commands.ts";
import { addToolCommands } from "./tool-commands.ts";

/** The groups of commands, in the order of the help. A command loads its code when it runs. */
const groups = [
  { title: "Serve:", add: addServeCommands },
  { title: "Set up and check:", add: addSetupCommands },
  { title: "Tools:", add: addToolCommands },
  { title: "Records:", add: addRecordCommands },
  { title: "Store:", add: addStoreCommands },
];

const shells: readonly Completion[] = ["bash", "zsh", "fish", "tools"];

/** Creates the command line. Its commands throw errors: they do not exit. */
export function createProgram(): Command {
  const program = new Command("toolpacks")
    .description("An MCP server that mounts many tool packs behind a tool list of constant size.")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print the help of a command")
    .helpCommand(false)
    .configureOutput({ writeOut: (text) => void writeStdout(text) })
    .exitOverride();
  for (const { title, add } of groups) {
    program.commandsGroup(title);
    add(program);
  }
  program.commandsGroup("Help:");
  program
    .command("completion")
    .description("print a script that completes commands, flags and names of tools")
    .addArgument(new Argument("<shell>", "the shell; tools: only the names of the tools").choices([...shells]))
    .action(async (shell: Completion) => (await import("../commands/completion.ts")).completion(shell, program));
  program
    .command("help")
    .description("print the help of a command")
    .argument("[command...]", "name of the command, such as doctor, or issues board")
    .action(async (names: readonly string[]) => (await import("./show-help.ts")).showHelp(program, names));
  program
    .command("version")
    .description("print the version")
    .action(() => print(version));
  for (const parent of program.commands.filter(({ commands }) => commands.length > 0)) {
    parent
      .helpCommand(false)
      .allowExcessArguments()
      .action(async () => (await import("./show-help.ts")).showSubcommands(program, parent));
  }
  // `serve` and `relay` handle errors of stdout themselves.
  program.hook("preAction", async (_, command) => {
    await refuseOperand(command);
    if (!["serve", "relay"].includes(command.name())) exitOnStdoutError("toolpacks");
  });
  return program;
}

/**
 * Refuses an operand of a command with subcommands, or of a default command such as `serve`. The operand is usually the name of a command with a typing
 * error.
 */
async function refuseOperand(command: Command): Promise<void> {
  const { args, parent, registeredArguments, commands } = command;
  const [operand] = args;
  const group = commands.length > 0 ? command : parent;
  if (operand === undefined || group === null || registeredArguments.length > 0) return;
  throw (await import("./unknown-command.ts")).unknownCommand(group, operand);
}
