import { ToolError } from "@toolpacks/core";

/** Matches errors of single files, which a search ignores. A search does not start with an error of its own, so these come last. */
const messageAboutFile =
  /^(?:\.\/|-: )|\(os error \d+\)|stopped searching binary file|file system loop|invalid utf-?8/i;

/** The message about too long ignore rules, which a search ignores too. It names no file. */
const ignorableMessage = /^error building NFA\s*$/;

/** ripgrep adds this before a pattern, and counts it in the position of its carets. */
const wrapping = "(?:";
const indent = 4;

interface Ended {
  readonly errorText: string;
  /** The exit code; null if the process was killed. */
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

/**
 * Converts ripgrep's stderr and exit code to an error for the model.
 *
 * @returns undefined if only single files could not be read
 */
export function ripgrepError({ errorText, code, killedBy }: Ended): ToolError | undefined {
  const messages = errorText.split(/^rg: /m).filter((message) => message !== "" && !ignorableMessage.test(message));
  // A file's name may look like any message.
  const firstAboutFile = messages.findIndex((message) => messageAboutFile.test(message));
  const text = (firstAboutFile === -1 ? messages : messages.slice(0, firstAboutFile)).join("").trimEnd();
  if (text.includes("error parsing glob")) return globError(text);
  if (code === null || code > 2) {
    const ending = code === null ? `was killed by ${killedBy}` : `failed with exit code ${code}`;
    const hint =
      "Call again with a deeper path or with globs. It may lack memory, also for the rules of a .gitignore; `ignored` reads none.";
    return new ToolError("unavailable", `ripgrep ${ending} before the search was complete`, hint);
  }
  if (code !== 2 || text === "") return undefined;
  const type = /unrecognized file type: (.*)/.exec(text)?.[1];
  if (type !== undefined) {
    const hint = "Types are ripgrep's, such as ts, js, py, go, rust, java, c, cpp, md; or give globs, such as *.vue.";
    return new ToolError("invalid_input", `types: no file type is named ${type}`, hint);
  }
  return patternError(text);
}

function globError(text: string): ToolError {
  const [, glob = "", problem = ""] = /error parsing glob '(.*)': (.*)/.exec(text) ?? [];
  return new ToolError("invalid_input", `globs: ${glob.replace(/^!/, "")}: ${problem}`);
}

function patternError(text: string): ToolError {
  const problem = /^error: (.*)/m.exec(text)?.[1] ?? text.split("\n", 1)[0] ?? "";
  // ripgrep counts the parenthesis of its wrapping among the groups.
  const position = problem.endsWith("group") ? undefined : pointedAt(text);
  const at = position === undefined ? "" : ` at character ${position + 1}`;
  return new ToolError("invalid_input", `pattern: ${problem}${at}`, hintFor(text));
}

/** The position of the carets below a one-line pattern. */
function pointedAt(text: string): number | undefined {
  const carets = text.split("\n").find((line) => /^ {4} *\^+$/.test(line));
  const position = (carets?.indexOf("^") ?? 0) - indent - wrapping.length;
  return position < 0 || text.includes("~~~") ? undefined : position;
}

function hintFor(text: string): string {
  if (text.includes("look-around")) {
    return "Look-around and backreferences are not supported: match more, and choose among the lines.";
  }
  if (text.includes('literal "\\n"')) return "Set multiline to match across lines.";
  if (text.includes("size limit")) return "Use smaller repetition counts.";
  return "Escape ( ) [ ] { } . * + ? | ^ $ with a backslash to find them as they are, or set literal.";
}
