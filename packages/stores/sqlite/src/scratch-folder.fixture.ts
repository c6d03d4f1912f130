import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A folder of the running test's own, which is gone after it. */
export function scratchFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "store-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
