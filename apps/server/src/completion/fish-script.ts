import type { CommandWords, Flag } from "./command-words.ts";

/** A completion script for fish. It starts toolpacks only for the names of tools. */
export function fishScript(commands: readonly CommandWords[]): string {
  const paths = commands.flatMap(({ path }) => (path === "" ? [] : [fishQuote(path)]));
  return `# Completion of toolpacks for fish. Load it: toolpacks completion fish | source
function __toolpacks_at
    set -l at ""
    set -l words (commandline -opc)
    for word in $words[2..-1]
        set -l next (string trim -- "$at $word")
        contains -- "$next" ${paths.join(" ")}; and set at "$next"
    end
    test "$at" = "$argv[1]"
end
complete -c toolpacks -e
complete -c toolpacks -n '__toolpacks_at call; and test (commandline -opc)[-1] = call' -f -a '(toolpacks completion tools 2>/dev/null)'
${commands.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ path, subcommands, flags }: CommandWords): readonly string[] {
  const condition = `complete -c toolpacks -n ${fishQuote(`__toolpacks_at ${fishQuote(path)}`)}`;
  return [
    ...subcommands.map(({ name, description }) => `${condition} -f -a ${name} -d ${fishQuote(description)}`),
    ...flags.map((flag) => `${condition} ${flagWords(flag)} -d ${fishQuote(flag.description)}`),
  ];
}

function flagWords({ long, short, takesValue, choices }: Flag): string {
  const name = `${short === undefined ? "" : `-s ${short.slice(1)} `}-l ${long.slice(2)}`;
  if (choices.length > 0) return `${name} -x -a ${fishQuote(choices.join(" "))}`;
  return takesValue ? `${name} -r` : name;
}

/** Quotes a text for fish, in single quotes. */
function fishQuote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
