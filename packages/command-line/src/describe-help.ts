import { styleText } from "node:util";
import { Help, type Command, type HelpConfiguration, type Option } from "commander";
import { variableOf } from "./flags.ts";
import type { CommandEntry } from "./program.ts";

/** Title of the flags of one command alone. */
const ownFlags = "Options:";

const bold = (text: string) => styleText("bold", text, { validateStream: false });
const cyan = (text: string) => styleText("cyan", text, { validateStream: false });

/** Adds to the help of a command: examples, notes, defaults, variables, colours, and groups of flags. Only a command that prints help loads this. */
export function describeCommand(
  command: Command,
  { examples, note, shared }: Pick<CommandEntry, "examples" | "note" | "shared"> = {},
): Command {
  command.configureHelp(helpConfiguration);
  if (examples !== undefined) {
    command.addHelpText("after", `\n${bold("Examples:")}\n${examples.map((line) => `  ${line}`).join("\n")}`);
  }
  const text = note ?? shared?.note;
  return text === undefined ? command : command.addHelpText("after", `\n${text}`);
}

const helpConfiguration: HelpConfiguration = {
  styleTitle: bold,
  styleCommandText: cyan,
  styleSubcommandText: cyan,
  styleOptionText: cyan,
  optionDescription: describeOption,
  // Every command has options.
  subcommandTerm: (child) => new Help().subcommandTerm(child).replace(" [options]", ""),
  groupItems(unsorted, visible, groupOf) {
    const groups = new Help().groupItems(unsorted, visible, groupOf);
    const own = groups.get(ownFlags);
    // Flags that many commands share follow the command's own flags.
    return own === undefined ? groups : new Map([[ownFlags, own], ...groups]);
  },
};

/** A description with the choices, default and variable of the flag. */
function describeOption(option: Option): string {
  const { argChoices, description, defaultValue, defaultValueDescription = defaultValue } = option;
  const notes = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(", ")}`]),
    ...(defaultValueDescription === undefined ? [] : [`default: ${String(defaultValueDescription)}`]),
  ];
  const variable = variableOf(option);
  return `${description}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}${variable === undefined ? "" : ` [$${variable}]`}`;
}
