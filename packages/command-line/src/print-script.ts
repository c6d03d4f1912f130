import { type Io, writeOutput } from "@toolpacks/terminal";

/** Scripts that ask the command `complete` of a program for the words. It prints each with a tab and its description. */
const scripts: Readonly<Record<string, (name: string) => string>> = {
  bash: (name) => `# Completion of ${name} for bash. Load it: source <(${name} completion bash)
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]}
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(${name} complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "$cur"))
}
complete -o default -F _${name} ${name}
`,
  zsh: (name) => `#compdef ${name}
# Completion of ${name} for zsh. Load it after compinit: source <(${name} completion zsh)
_${name}() {
  local -a found
  found=(\${\${\${(f)"$(${name} complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}//:/\\\\:}//$'\\t'/:})
  _describe '${name}' found || _files
}
compdef _${name} ${name}
`,
  fish: (name) => `# Completion of ${name} for fish. Load it: ${name} completion fish | source
function __${name}_complete
    set -l words (commandline -opc)
    ${name} complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c ${name} -e
complete -c ${name} -a '(__${name}_complete)'
`,
};

/** Prints a script for a shell: bash, zsh or fish. */
export function printScript(io: Io, name: string, shell: string): void {
  writeOutput(io, scripts[shell]?.(name) ?? "");
}
