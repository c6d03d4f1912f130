import { styleText } from "node:util";
import { Help, type Command, type HelpConfiguration, type Option } from "commander";
import type { CommandEntry } from "./command-entry.ts";

/** Defaults that the descriptions of the flags do not say. */
const defaults: Readonly<Record<string, string>> = {
  "--expose": "core",
  "--deny": "nothing",
  "--surface": "discovery",
  "--facet": "every pack that can run",
  "--root": "none; serve asks the client",
  "--results": "text; both with --surface direct",
  "--log-level": "info for serve, error for other commands",
  "--sdk": "2",
  "--tokens": "none",
};

/** Title of the flags of one command alone. */
const ownFlags = "Options:";

/** Settings without a flag and a variable. */
export const configOnly = [
  "autoBudget",
  "clientRoots",
  "embeddings",
  "maxWorkspaceBytes",
  "mcpServers",
  "meaning",
  "modelBudget",
  "models",
  "packs",
  "relay",
  "routing",
  "workflows",
  "workspaces",
];

const bold = (text: string) => styleText("bold", text, { validateStream: false });
const cyan = (text: string) => styleText("cyan", text, { validateStream: false });

const environment = `
${bold("Environment:")}
  [$…] after a flag is its variable. A flag overrides its variable, and both
  override the config file. Flags without [$…] have no variable.
  TOOLPACKS_ROOTS       folders, separated as in PATH
  TOOLPACKS_ACTOR       name of the session, for packs that record who made a
                        change (default: none)
  TOOLPACKS_SECRET_KEY  key for sign-ins in a shared store (default: none)
  NO_COLOR              no colours; FORCE_COLOR=1: colours also in a pipe
  Settings of the config file only, without a variable:
  ${configOnly.slice(0, 5).join(", ")},
  ${configOnly.slice(5, 10).join(", ")},
  ${configOnly.slice(10).join(", ")}`;

const variableNote = "\n[$…] after a flag is its variable; other flags have none.\nMore: toolpacks help serve";

/** Adds examples to the help of the program. */
export function describeProgram(program: Command): void {
  describeCommand(program);
  program.addHelpText(
    "after",
    `
${bold("Examples:")}
  toolpacks init                  set up the clients on this machine
  toolpacks serve --root .        serve this folder, read-only
  toolpacks doctor                check the config, and print all problems
  toolpacks call fs_read path=README.md --root .

The help of a command: toolpacks help serve`,
  );
}

/** Adds to the help of a command: examples, defaults, variables, colours, and groups of flags. Only a command that prints help loads this. */
export function describeCommand(command: Command, entry?: CommandEntry): Command {
  command.configureHelp(helpConfiguration);
  if (entry?.examples !== undefined)
    command.addHelpText("after", `\n${bold("Examples:")}\n${entry.examples.map((line) => `  ${line}`).join("\n")}`);
  if (entry?.name === "serve") command.addHelpText("after", environment);
  else if (command.options.some(({ long }) => long === "--store")) command.addHelpText("after", variableNote);
  return command;
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
  const { long = "", argChoices, description, defaultValue } = option;
  const own = defaultValue === undefined ? undefined : String(defaultValue);
  const fallback = description.includes("default:") ? undefined : (defaults[long ?? ""] ?? own);
  const notes = [
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(", ")}`]),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  const variable = variableOf(long ?? "");
  return `${description}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}${variable === undefined ? "" : ` [$${variable}]`}`;
}

const flagsWithVariable = new Set([
  "--config",
  "--root",
  "--store",
  "--workspace",
  "--surface",
  "--expose",
  "--log-level",
]);

/** The variable of a flag. Undefined: it has none. */
export function variableOf(flag: string): string | undefined {
  return flagsWithVariable.has(flag)
    ? `TOOLPACKS_${flag === "--root" ? "ROOTS" : flag.slice(2).toUpperCase().replaceAll("-", "_")}`
    : undefined;
}
