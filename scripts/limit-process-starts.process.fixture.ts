import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** The maximum number of processes that all tests of a normal run may start. */
const maxStarts = 130;

/** Fails the run after its last test if the tests have started too many processes. Vitest calls this. */
export function teardown(): void {
  const file = process.env["PROCESS_STARTS"] ?? "";
  const starts = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  const counts = [...Map.groupBy(starts, (test) => test)].map(([test, all]) => [all.length, test] as const);
  const most = counts.toSorted(([one], [other]) => other - one).map(([n, test]) => `${n} ${path.relative("", test)}`);
  if (starts.length <= maxStarts) return;
  throw new Error(
    `the tests started ${starts.length} processes, and ${maxStarts} are the most; most are of: ${most.slice(0, 5).join(", ")}`,
  );
}
