import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { renameEntry } from "./write-atomically.ts";

const failed = (code: string) => Object.assign(new Error(code), { code });

test.each(["EPERM", "EACCES", "EBUSY"])(
  "an entry that is open at first (%s) is renamed when it is closed",
  async (code) => {
    const folder = mkdtempSync(path.join(tmpdir(), "rename-"));
    const [from, to] = [path.join(folder, "a"), path.join(folder, "b")];
    writeFileSync(from, "x");
    let attempts = 0;
    const attempt: typeof rename = (...paths) =>
      (attempts += 1) < 4 ? Promise.reject(failed(code)) : rename(...paths);
    await renameEntry(from, to, { platform: "win32", attempt });
    expect(readdirSync(folder)).toEqual(["b"]);
  },
);

test("an entry that stays open fails after a second, any other error at once", async () => {
  let attempts = 0;
  const fail = (code: string) => {
    const attempt = () => {
      attempts += 1;
      return Promise.reject(failed(code));
    };
    return renameEntry("a", "b", { platform: "win32", attempt });
  };
  await expect(fail("EBUSY")).rejects.toThrow("EBUSY");
  expect(attempts).toBe(8);
  await expect(fail("ENOENT")).rejects.toThrow("ENOENT");
  expect(attempts).toBe(9);
});
