import { Command } from "commander";
import { closest } from "@toolpacks/core";
import { exitOnStdoutError, writeStdout } from "@toolpacks/core/terminal";
import { ConfigurationError } from "../configuration-error.ts";
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
    .version(version)
    .addHelpText("after", "\nGet started: toolpacks --root .\nAll flags of the server: toolpacks serve --help")
    .configureOutput({ writeOut: (text) => void writeStdout(text) })
    .exitOverride();
  for (const { title, add } of groups) {
    program.commandsGroup(title);
    add(program);
  }
  // `serve` and `relay` handle errors of stdout themselves.
  program.hook("preAction", (_, command) => {
    if (command.name() === "serve") refuseOperand(program, command);
    if (!["serve", "relay"].includes(command.name())) exitOnStdoutError("toolpacks");
  });
  return program;
}

/** Refuses an operand of `serve`. As `serve` is the default command, the operand is usually the name of another command with a typing error. */
function refuseOperand({ commands }: Command, { args: [operand] }: Command): void {
  if (operand === undefined) return;
  const names = commands.map((command) => command.name());
  const near = closest(operand, names, 0.6);
  const question = near === undefined ? "" : ` (did you mean ${near}?)`;
  throw new ConfigurationError(`unknown command ${operand}${question}; toolpacks --help lists the commands`);
}
