import { quote, valueFlags, type CommandWords } from "./command-words.ts";

/** A completion script for bash. It starts toolpacks only for the names of tools. */
export function bashScript(commands: readonly CommandWords[]): string {
  const values = valueFlags(commands);
  const choices = values.filter((flag) => flag.choices.length > 0);
  const others = values.filter((flag) => flag.choices.length === 0);
  return `# Completion of toolpacks for bash. Load it: source <(toolpacks completion bash)
_toolpacks() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at="" words="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case "$next" in
      ${commands.flatMap(({ path }) => (path === "" ? [] : [quote(path)])).join("|")}) at=$next ;;
    esac
  done
  case "$prev" in
${choices.map(({ long, choices: all }) => `    ${long}) COMPREPLY=($(compgen -W ${quote(all.join(" "))} -- "$cur")); return ;;`).join("\n")}
    ${others.map(({ long }) => long).join("|")}) COMPREPLY=(); return ;;
  esac
  case "$at" in
${commands.map((one) => `    ${quote(one.path)}) words=${quote(wordsOf(one).join(" "))} ;;`).join("\n")}
  esac
  if [[ $prev == call && $at == call && $cur != -* ]]; then words=$(toolpacks completion tools 2>/dev/null); fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _toolpacks toolpacks
`;
}

function wordsOf({ subcommands, flags }: CommandWords): readonly string[] {
  return [...subcommands.map(({ name }) => name), ...flags.map(({ long }) => long)];
}
