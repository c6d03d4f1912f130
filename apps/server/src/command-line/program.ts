import { Command } from "commander";
import { exitOnStdoutError, writeStdout } from "@toolpacks/core/terminal";
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
    if (!["serve", "relay"].includes(command.name())) exitOnStdoutError("toolpacks");
  });
  return program;
}
