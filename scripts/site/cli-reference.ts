import type { programCommand } from "../../packages/command-line/src/show-help.ts";

type Command = ReturnType<typeof programCommand>;

/** Renders the help of a program and of all its commands as a page. */
export function renderCli(program: Command): string {
  const sections = commandsOf(program).map((command) =>
    [`## ${pathOf(command)}`, "```text", helpOf(command), "```"].join("\n"),
  );
  return ["# Command line", "The help of each command, as the program prints it.", ...sections, ""].join("\n\n");
}

/** The command and all commands below it, without hidden ones. */
function commandsOf(command: Command): readonly Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return [command, ...visible.flatMap(commandsOf)];
}

/** The full name of a command, such as `toolpacks tokens add`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => void (text += part),
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trim();
}
