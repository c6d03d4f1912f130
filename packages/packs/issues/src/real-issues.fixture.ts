import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A file with a real project's issues, outside the repository; undefined, with a warning, if it is missing. */
export const realIssues = findRealIssues();

function findRealIssues(): string | undefined {
  const file = fileURLToPath(new URL("../../../../../shared/data/beads-issues.jsonl", import.meta.url));
  if (existsSync(file)) return file;
  console.warn(`tests with real issues are skipped: there are none at ${file}`);
  return undefined;
}
