import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { processIo } from "../io.ts";
import { printProgress } from "../print-terminal.ts";
import { print, printError } from "../print.ts";
import { readLines } from "../read-lines.ts";
import { openStore } from "../stores/open-store.ts";

/**
 * `toolpacks issues import <file>`: imports issues. Progress and invalid lines go to stderr, the counts to stdout. The exit code is 1 when a line
 * is invalid.
 */
export async function importIssueFile(file: string, flags: Flags & { strict?: boolean }): Promise<void> {
  const { issueKind } = await import("@toolpacks/issues");
  const { importIssues } = await import("@toolpacks/issues/tracker");
  const settings = await readSettings(processIo(), flags);
  // Opened before the store, so that a missing file does not create an empty store.
  const lines = await readLines(processIo(), file);
  const store = await openStore(settings);
  try {
    const { added, updated, unchanged, bad } = await importIssues({ store, kind: issueKind() }, lines, {
      strict: flags.strict === true,
      progress: showProgress,
    });
    for (const { line, problem } of bad) printError(`line ${line}: ${problem}`);
    print(`added ${added}, updated ${updated}, unchanged ${unchanged}, bad lines ${bad.length}`);
    if (bad.length > 0) process.exitCode = 1;
  } finally {
    await store.end();
  }
}

function showProgress(done: number, total: number): void {
  printProgress(`${done} of ${total}`, done === total);
}
