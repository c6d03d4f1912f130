import { type Io, writeOutput } from "@toolpacks/terminal";

/** Scripts that ask `toolpacks complete` for the words. It prints each with a tab and its description. */
const scripts = {
  bash: `# Completion of toolpacks for bash. Load it: source <(toolpacks completion bash)
_toolpacks() {
  local cur=\${COMP_WORDS[COMP_CWORD]}
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(toolpacks complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "$cur"))
}
complete -o default -F _toolpacks toolpacks
`,
  zsh: `#compdef toolpacks
# Completion of toolpacks for zsh. Load it after compinit: source <(toolpacks completion zsh)
_toolpacks() {
  local -a found
  found=(\${\${\${(f)"$(toolpacks complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}//:/\\\\:}//$'\\t'/:})
  _describe 'toolpacks' found || _files
}
compdef _toolpacks toolpacks
`,
  fish: `# Completion of toolpacks for fish. Load it: toolpacks completion fish | source
function __toolpacks_complete
    set -l words (commandline -opc)
    toolpacks complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c toolpacks -e
complete -c toolpacks -a '(__toolpacks_complete)'
`,
};

/** `toolpacks completion <shell>`: prints a script for the shell. */
export function printScript(io: Io, _flags: unknown, shell: keyof typeof scripts): void {
  writeOutput(io, scripts[shell]);
}
