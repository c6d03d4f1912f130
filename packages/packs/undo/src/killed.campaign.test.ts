import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { programCommand } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { serverOf } from "./killed-undo.fixture.ts";
import { stateOf } from "./random-sessions.fixture.ts";

/** A folder after some calls of a session in a process that is killed before a step. */
async function killedAt(step: number) {
  const folder = mkdtempSync(path.join(tmpdir(), "killed-undo-"));
  mkdirSync(path.join(folder, "root/d"), { recursive: true });
  mkdirSync(path.join(folder, "root/private/inner"), { recursive: true });
  for (const name of ["private/inner", "private"]) chmodSync(path.join(folder, "root", name), 0o700);
  const before = serverOf(folder);
  for (const name of ["a.txt", "d/x", "d/y", "f/x", "g/y/z", "private/inner/z"])
    await before.call("fs_write", { path: name, content: `${name} one`, parents: true });
  await before.call("store_put", { kind: "note", id: "n", record: { text: "one" } });
  const copy = await stateOf(before);
  await before.end();
  const [node, ...program] = programCommand(new URL("killed-undo.fixture.ts", import.meta.url), [folder, String(step)]);
  const { signal, stdout, stderr } = spawnSync(node, program, {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: folder },
  });
  return { folder, copy, signal, stdout, stderr };
}

test(
  "a session that is killed before any step, of its calls or of its undo, is taken back whole",
  { timeout: 1_000_000, retry: 0 },
  async () => {
    const whole = await killedAt(0);
    expect(whole.stderr).toBe("");
    const steps = Number(whole.stdout);
    expect(steps).toBeGreaterThan(50);
    for (let step = 1; step <= steps; step += 1) {
      const { folder, copy, signal, stderr } = await killedAt(step);
      expect([signal, stderr], `step ${step}`).toEqual(["SIGKILL", ""]);
      const lock = path.join(folder, "undo.lock");
      if (existsSync(lock)) utimesSync(lock, 0, 0);
      const after = serverOf(folder);
      // A killed write, deletion or move may leave what it has put aside.
      for (const name of globSync("root/**/.*.{tmp,replaced}", { cwd: folder }))
        rmSync(path.join(folder, name), { recursive: true });
      await after.call("undo", { session: "s" }).catch((error: unknown) => {
        if (!/no such session|taken back already/.test(String(error)))
          throw new Error(`step ${step}: ${String(error)}`, { cause: error });
      });
      expect(await stateOf(after), `step ${step} of ${steps}`).toEqual(copy);
      await after.end();
      rmSync(folder, { recursive: true });
    }
  },
);
