import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Creates a temporary folder for the running test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "store-sqlite-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
