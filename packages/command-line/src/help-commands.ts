import { print } from "@toolpacks/terminal";
import type { CommandEntry, Program } from "./program.ts";

/** Creates a program: the commands of its table, and `completion`, `help` and `version`. */
export function createProgram(table: Program): Program {
  const commands = helpCommands(table.name, () => program);
  const program: Program = { ...table, groups: [...table.groups, { title: "Help:", commands }] };
  return program;
}

function helpCommands(name: string, program: () => Program): readonly CommandEntry[] {
  return [
    {
      name: "completion",
      summary: "print a script that completes commands, flags and names of tools",
      operands: [["<shell>", "the shell", ["bash", "zsh", "fish"]]],
      examples: [
        `source <(${name} completion bash)       in ~/.bashrc`,
        `source <(${name} completion zsh)        in ~/.zshrc`,
        `${name} completion fish | source        in ~/.config/fish/config.fish`,
      ],
      load: async () => {
        const { printScript } = await import("./print-script.ts");
        return (io, _flags, shell) => printScript(io, name, shell);
      },
    },
    {
      name: "complete",
      summary: "print the words that a shell completes",
      isHidden: true,
      operands: [["[words...]", `the words after ${name}`]],
      load: async () => {
        const { complete } = await import("./complete.ts");
        return (io, _flags, words) => complete(io, program(), words);
      },
    },
    {
      name: "help",
      summary: "print the help of a command",
      operands: [["[command...]", "name of the command, such as completion"]],
      examples: [`${name} help completion`],
      load: async () => {
        const { showHelp } = await import("./show-help.ts");
        return (io, _flags, words) => showHelp(io, program(), words);
      },
    },
    { name: "version", summary: "print the version", load: async () => (io) => print(io, program().version) },
  ];
}
