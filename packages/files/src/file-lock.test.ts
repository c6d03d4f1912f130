import { mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { withFileLock } from "./file-lock.ts";

const folder = mkdtempSync(path.join(tmpdir(), "file-lock-"));
const old = new Date(Date.now() - 60_000);

test("withFileLock takes the lock of a process that is gone", async () => {
  for (const content of ["", "6e4b1b1e-8f5e-4a57-9d0c-0f8f3a0a7b11"]) {
    const lock = path.join(folder, "todo.md.lock");
    writeFileSync(lock, content);
    utimesSync(lock, old, old);
    expect(await withFileLock(lock, async () => "done")).toBe("done");
  }
});

test.each(["- buy a lamp", "- buy a lamp, a chair and a table too", "text ".repeat(100)])(
  "withFileLock refuses a file with the text %s, and leaves it",
  async (text) => {
    const file = path.join(folder, "todo.md");
    writeFileSync(file, text);
    utimesSync(file, old, old);
    await expect(withFileLock(file, async () => "done")).rejects.toThrow("expected the path of a lock");
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test("withFileLock refuses a folder", async () => {
  const place = path.join(folder, "notes");
  mkdirSync(place);
  await expect(withFileLock(place, async () => "done")).rejects.toThrow("expected the path of a lock");
});
