import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Issues of a real project, beside the repository; undefined, and said so, where they are not. */
export const realIssues = findRealIssues();

function findRealIssues(): string | undefined {
  const file = fileURLToPath(new URL("../../../../../shared/data/beads-issues.jsonl", import.meta.url));
  if (existsSync(file)) return file;
  console.warn(`tests with real issues are skipped: there are none at ${file}`);
  return undefined;
}
