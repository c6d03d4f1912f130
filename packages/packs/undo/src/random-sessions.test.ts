import { test } from "vitest";
import { checkServers, checkSession } from "./random-sessions.fixture.ts";
import { undoable } from "./undo.fixture.ts";

const seeds = Array.from({ length: 100 }, (_, at) => at + 1);

test("100 generated sessions of three actors, taken back to any point, equal a copy", async () => {
  for (const seed of seeds) {
    const at = undoable();
    await checkSession(at, seed).finally(() => at.end());
  }
});

test("30 generated sessions of two servers at once, taken back to any point, equal a copy", async () => {
  for (const seed of seeds.slice(0, 30)) await checkServers(seed);
});
