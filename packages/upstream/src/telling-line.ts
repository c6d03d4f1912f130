import { singleLine } from "./clean-text.ts";

/** Lines that do not explain a crash: stack frames, carets, brackets, properties, versions, hints about log files. */
const noise =
  /^\s*(?:at .*|\^+|[[\]{}(),;]*|[\w'"$]+: .*,|throw .*|Node\.js v[\d.]+|node:internal\S*|npm (?:error|ERR!)(?: (?:code|errno|syscall|path)\b.*)?|.*A complete log of this run.*)\s*$/;
const exception = /^(?:Uncaught )?[\w.]*(?:Error|Exception)(?: \[\w+\])?:/;
const npmProblem = /^npm (?:error|ERR!)/;
const complaint =
  /\b(?:error|fatal|panic|failed|cannot|can't|unable|denied|missing|required|not found|no such|invalid)\b/i;

/** The output line that explains best why a program ended. Empty when there is none. */
export function tellingLine(lines: readonly string[]): string {
  const spoken = lines.filter((line) => !noise.test(line));
  const line =
    spoken.findLast((one) => exception.test(one)) ??
    spoken.find((one) => npmProblem.test(one)) ??
    spoken.findLast((one) => complaint.test(one)) ??
    spoken.at(-1);
  return singleLine(line ?? "");
}
