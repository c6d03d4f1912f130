import { forEachLine, sampleOf } from "./lines.ts";
import type { DescribeShape } from "./shape.ts";
import { fits, shown } from "./shown.ts";

/** A time at the start of a line: ISO 8601, the time of web servers, of syslog, or of day. */
const time =
  /^[[("'\w=:{ -]{0,12}?(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:Z|[-+]\d\d:?\d\d)?|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)/;
const webTime = /\[(\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d(?: [-+]\d{4})?)\]/;
const loudLevel =
  /(?<![\w.])(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRIT|CRITICAL|SEVERE|ALERT|EMERG|PANIC)(?![\w(.])/;
const quietLevel =
  /(?:^|[[<|]|\blevel"?[=:]\s?"?|\]\s)(trace|debug|info|notice|warn|warning|error|err|fatal|crit|critical|severe|alert|emerg|panic)(?:[\]>|"\s:]|$)/i;
const sameLevel: Readonly<Record<string, string>> = { WARNING: "WARN", ERR: "ERROR", CRIT: "CRITICAL" };
const errors: ReadonlySet<string> = new Set(["ERROR", "FATAL", "CRITICAL", "SEVERE", "ALERT", "EMERG", "PANIC"]);
const failureWord = /(?<![\w-])(?:error|exception|failed|failure|fatal|panic|traceback)(?![\w-])/i;
const webError = /" 5\d\d /;

const minLines = 5;
/** Share of lines with a time or level, of those that do not continue another line. */
const minShare = 0.6;
/** A line is no log line without a time or level at its start. */
const startCharacters = 120;

/** Logs as levels with counts, the range of times, and the first error line. */
export const logShape: DescribeShape = (text, maxTokens) => {
  const sample = sampleOf(text);
  const seen = readLog(sample);
  if (seen.lines < minLines || seen.marked < minShare * seen.starts) return undefined;
  const { lines, levels, first, last, error, suspect } = sample === text ? seen : readLog(text);
  const range = first === undefined || last === undefined ? "" : `, ${shown(first, 40)} to ${shown(last, 40)}`;
  const counts = [...levels].sort(([, a], [, b]) => b - a).map(([level, count]) => `${level} ${count}`);
  const head = `log, ${lines} lines${range}${counts.length > 0 ? `: ${counts.join(", ")}` : ""}`;
  const found = error ?? suspect;
  if (found === undefined) return { text: head };
  const label = error === undefined ? "first line with a failure" : "first error";
  const line = [200, 120, 80, 40]
    .map((length) => `${label}, ${shown(found, length)}`)
    .find((one) => fits(`${head}\n${one}`, maxTokens));
  return { text: line === undefined ? head : `${head}\n${line}` };
};

interface ReadLog {
  /** Number of lines that are not blank. */
  lines: number;
  /** Number of lines that do not continue another. */
  starts: number;
  /** Number of lines with a time or level. */
  marked: number;
  readonly levels: Map<string, number>;
  first?: string;
  last?: string;
  /** The first line with the level of an error. */
  error?: string;
  /** The first line that names a failure. */
  suspect?: string;
}

function readLog(text: string): ReadLog {
  const log: ReadLog = { lines: 0, starts: 0, marked: 0, levels: new Map() };
  forEachLine(text, (line, number) => {
    if (line.trim() === "") return;
    log.lines += 1;
    const head = line.slice(0, startCharacters);
    const at = time.exec(head)?.[1] ?? webTime.exec(head)?.[1];
    const level = levelIn(head);
    const isContinued = /^\s|^(?:at|Caused by) /.test(line);
    if (!isContinued) log.starts += 1;
    if (at !== undefined || (level !== undefined && !isContinued)) log.marked += 1;
    if (at !== undefined) {
      log.first ??= at;
      log.last = at;
    }
    if (level !== undefined) {
      log.levels.set(level, (log.levels.get(level) ?? 0) + 1);
      if (errors.has(level)) log.error ??= `line ${number}: ${line}`;
    }
    if (log.suspect === undefined && (failureWord.test(line) || webError.test(line))) {
      log.suspect = `line ${number}: ${line}`;
    }
  });
  return log;
}

function levelIn(head: string): string | undefined {
  const level = (loudLevel.exec(head)?.[1] ?? quietLevel.exec(head)?.[1])?.toUpperCase();
  return level === undefined ? undefined : (sameLevel[level] ?? level);
}
