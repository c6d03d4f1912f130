import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { folderOf, onWire } from "./pack.fixture.ts";

/** A slow search: ripgrep needs many seconds for word borders in non-ASCII text. */
const slow = { pattern: "\\b(?:\\w+\\s+){30}\\d\\b", mode: "count" };
let folder: string;

beforeAll(async () => {
  const line = `${"wörter und ähnliches mehr ".repeat(40)}\n`;
  folder = await folderOf({ "slow.txt": line.repeat(9000) });
});

afterAll(() => rm(folder, { recursive: true }));

/** The ids of ripgrep processes that this process started. */
function searching(): readonly number[] {
  const ids = readdirSync(`/proc/self/task`).flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
  return ids.filter((id) => commandOf(id).includes("--regexp=")).map(Number);
}

function commandOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

test("a search that times out returns its hits so far, and leaves no process", async () => {
  const wire = await onWire({ roots: [folder], timeoutMs: 500 });
  const started = performance.now();
  const page = await wire.value("search_text", slow);
  expect(performance.now() - started).toBeLessThan(3000);
  expect(page).toMatchObject({ partial: true, hint: expect.stringContaining("Stopped after 0.5 s") as string });
  expect(searching()).toEqual([]);
  await wire.close();
});

test("a cancelled search ends with its process", async () => {
  const wire = await onWire({ roots: [folder] });
  const controller = new AbortController();
  const call = wire.text("search_text", slow, { signal: controller.signal });
  const ended = call.then(
    () => "answered",
    () => "cancelled",
  );
  while (searching().length === 0) await sleep(10);
  controller.abort();
  expect(await ended).toBe("cancelled");
  const until = performance.now() + 3000;
  while (searching().length > 0 && performance.now() < until) await sleep(10);
  expect(searching()).toEqual([]);
  await wire.close();
});

test("a full page ends its process", async () => {
  const wire = await onWire({ roots: [folder] });
  await wire.value("search_text", { pattern: "und", limit: 1 });
  expect(searching()).toEqual([]);
  await wire.close();
});

test.each([
  ["search_text", slow],
  ["search_text", { ...slow, mode: "matches" }],
])("%s %j fails when ripgrep is killed, and does not return none", async (tool, args) => {
  const wire = await onWire({ roots: [folder] });
  const call = wire.failure(tool, args);
  let found = searching();
  // A process has no command line for a moment while the shell becomes ripgrep.
  for (; found.length === 0; found = searching()) await sleep(10);
  for (const id of found) process.kill(id, "SIGKILL");
  expect(await call).toContain("unavailable: ripgrep was killed by SIGKILL before the search was complete");
  await wire.close();
});
