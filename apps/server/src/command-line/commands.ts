import { type Io, print } from "@toolpacks/terminal";
import { version } from "../version.ts";
import type { CommandEntry, CommandGroup } from "./command-entry.ts";
import { recordGroup, storeGroup } from "./record-commands.ts";
import { serveGroup } from "./serve-commands.ts";
import { setupGroup } from "./setup-commands.ts";
import { toolGroup } from "./tool-commands.ts";

const helpGroup: CommandGroup = {
  title: "Help:",
  commands: [
    {
      name: "completion",
      summary: "print a script that completes commands, flags and names of tools",
      operands: [["<shell>", "the shell", ["bash", "zsh", "fish"]]],
      examples: [
        "source <(toolpacks completion bash)       in ~/.bashrc",
        "source <(toolpacks completion zsh)        in ~/.zshrc",
        "toolpacks completion fish | source        in ~/.config/fish/config.fish",
      ],
      load: async () => (await import("../completion/print-script.ts")).printScript,
    },
    {
      name: "complete",
      summary: "print the words that a shell completes",
      isHidden: true,
      operands: [["[words...]", "the words after toolpacks"]],
      load: async () => (await import("../completion/complete.ts")).complete,
    },
    {
      name: "help",
      summary: "print the help of a command",
      operands: [["[command...]", "name of the command, such as doctor, tokens add, or issues list"]],
      examples: ["toolpacks help doctor", "toolpacks help issues list"],
      load: async () => (await import("./show-help.ts")).showHelp,
    },
    { name: "version", summary: "print the version", load: async () => (io: Io) => print(io, version) },
  ],
};

/** All commands, in the order of the help. To add a command, add an entry to its group. */
export const commandGroups: readonly CommandGroup[] = [
  serveGroup,
  setupGroup,
  toolGroup,
  recordGroup,
  storeGroup,
  helpGroup,
];

export const allCommands: readonly CommandEntry[] = commandGroups.flatMap(({ commands }) => commands);

/** Words that are a command without another word. */
export const defaultCommands: Readonly<Record<string, string>> = { workspaces: "workspaces list" };

/** What the commands below a word are for. */
export const parentSummaries: Readonly<Record<string, string>> = {
  config: "print the schema of the config file",
  tokens: "manage the bearer tokens of serve --http",
  workspaces: "list and join workspaces",
};
