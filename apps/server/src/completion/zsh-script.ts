import { quote, valueFlags, type CommandWords } from "./command-words.ts";

/** A completion script for zsh. It starts toolpacks only for the names of tools. */
export function zshScript(commands: readonly CommandWords[]): string {
  const values = valueFlags(commands);
  const choices = values.filter((flag) => flag.choices.length > 0);
  const others = values.filter((flag) => flag.choices.length === 0);
  return `#compdef toolpacks
# Completion of toolpacks for zsh. Load it after compinit: source <(toolpacks completion zsh)
_toolpacks() {
  local at="" next i
  local -a found tools
  for ((i = 2; i < CURRENT; i++)); do
    next="\${at:+$at }\${words[i]}"
    case "$next" in
      (${commands.flatMap(({ path }) => (path === "" ? [] : [quote(path)])).join("|")}) at=$next ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
${choices.map(({ long, choices: all }) => `    (${long}) compadd -- ${all.join(" ")}; return ;;`).join("\n")}
    (${others.map(({ long }) => long).join("|")}) _files; return ;;
  esac
  case "$at" in
${commands.map((one) => `    (${quote(one.path)}) found=(${wordsOf(one).map(quote).join(" ")}) ;;`).join("\n")}
  esac
  if [[ "\${words[CURRENT-1]}" == call && $at == call && "\${words[CURRENT]}" != -* ]]; then
    tools=(\${(f)"$(toolpacks completion tools 2>/dev/null)"})
    compadd -- $tools
    return
  fi
  _describe 'toolpacks' found || _files
}
compdef _toolpacks toolpacks
`;
}

/** The words with their descriptions: \`name:description\`. */
function wordsOf({ subcommands, flags }: CommandWords): readonly string[] {
  return [
    ...subcommands.map(({ name, description }) => `${name}:${description}`),
    ...flags.map(({ long, description }) => `${long}:${description}`),
  ];
}
