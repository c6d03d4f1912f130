/** The lines of an error with its stack. All but the first are indented, so that a message cannot imitate a log line. */
export function stackLines(error: unknown): readonly string[] {
  const [first = "", ...others] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split("\n");
  return [first, ...others.map((line) => `    ${line.trim()}`)];
}
