import { Command } from "commander";
import { exitOnStdoutError, writeStdout } from "@toolpacks/core/terminal";
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

/** Creates the command line. Its commands throw errors: they do not exit. */
export function createProgram(): Command {
  const program = new Command("toolpacks")
    .description("An MCP server that mounts many tool packs behind a tool list of constant size.")
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print the help of a command")
    .helpCommand(false)
    .addHelpText("after", "\nGet started: toolpacks --root .\nAll flags of the server: toolpacks serve --help")
    .configureOutput({ writeOut: (text) => void writeStdout(text) })
    .exitOverride();
  for (const { title, add } of groups) {
    program.commandsGroup(title);
    add(program);
  }
  program.commandsGroup("Help:");
  program
    .command("help")
    .description("print the help of a command")
    .argument("[command...]", "name of the command, such as doctor, or issues board")
    .action(async (names: readonly string[]) => (await import("./show-help.ts")).showHelp(program, names));
  program
    .command("version")
    .description("print the version")
    .action(() => print(version));
  // `serve` and `relay` handle errors of stdout themselves.
  program.hook("preAction", async (_, command) => {
    await refuseOperand(command);
    if (!["serve", "relay"].includes(command.name())) exitOnStdoutError("toolpacks");
  });
  return program;
}

/**
 * Refuses an operand of a default command without arguments, such as `serve`. The operand is usually the name of another command with a typing error.
 */
async function refuseOperand({ args: [operand], parent, registeredArguments }: Command): Promise<void> {
  if (operand === undefined || parent === null || registeredArguments.length > 0) return;
  throw (await import("./unknown-command.ts")).unknownCommand(parent, operand);
}
