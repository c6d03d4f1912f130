import { createReadStream } from "node:fs";
import { ToolError } from "@toolpacks/core";
import { settle, type Flags } from "../config/settings.ts";
import { openStore } from "../store.ts";

/**
 * `toolpacks issues import <file>`: progress and each bad line on stderr, the counts on stdout. The exit code is 1 when a line is
 * bad.
 */
export async function importIssueFile(file: string, flags: Flags & { strict?: boolean }): Promise<void> {
  const { issueKind } = await import("@toolpacks/issues");
  const { importIssues } = await import("@toolpacks/issues/tracker");
  const store = await openStore(await settle(flags, process.env, process.cwd()));
  try {
    const { added, updated, unchanged, bad } = await importIssues({ store, kind: issueKind() }, readLines(file), {
      strict: flags.strict === true,
      progress: showProgress,
    });
    for (const { line, problem } of bad) process.stderr.write(`line ${line}: ${problem}\n`);
    process.stdout.write(`added ${added}, updated ${updated}, unchanged ${unchanged}, bad lines ${bad.length}\n`);
    if (bad.length > 0) process.exitCode = 1;
  } finally {
    await store.end();
  }
}

function showProgress(done: number, total: number): void {
  const isLast = done === total;
  process.stderr.write(process.stderr.isTTY ? `\r${done} of ${total}${isLast ? "\n" : ""}` : `${done} of ${total}\n`);
}

async function* readLines(file: string): AsyncGenerator<string> {
  const input = file === "-" ? process.stdin : createReadStream(file);
  // JSON may hold other separators of lines inside its strings.
  let rest = "";
  try {
    for await (const part of input.setEncoding("utf8")) {
      const lines = (rest + String(part)).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new ToolError("not_found", `${file}: it cannot be read (${String(error.code)})`);
  }
  if (rest !== "") yield rest;
}
