import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, type TestContext } from "vitest";

/** Creates a temporary folder for the running test. @param context that of a concurrent test */
export function scratchFolder(context: Pick<TestContext, "onTestFinished"> = { onTestFinished }): string {
  const folder = mkdtempSync(path.join(tmpdir(), "store-sqlite-"));
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
