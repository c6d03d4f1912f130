import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePrivateFile, makePrivateFolder, readPrivateFile, writePrivateFile } from "./private-files.ts";

const mode = (place: string) => statSync(place).mode & 0o777;

describe.skipIf(process.platform === "win32")("with a umask of 0", () => {
  let umask = 0;
  beforeAll(() => {
    umask = process.umask(0);
  });
  afterAll(() => void process.umask(umask));
  const folder = () => mkdtempSync(path.join(tmpdir(), "private-files-"));

  test("writePrivateFile creates a file and its folders only for their owner, and leaves no other file", async () => {
    const outer = folder();
    const file = path.join(outer, "one", "two", "file.json");
    await writePrivateFile(file, "first");
    await writePrivateFile(file, "second");
    expect((await readPrivateFile(file)).toString()).toBe("second");
    expect([file, path.dirname(file), path.join(outer, "one")].map(mode)).toEqual([0o600, 0o700, 0o700]);
    expect(readdirSync(path.dirname(file))).toEqual(["file.json"]);
  });

  test("readPrivateFile rejects a FIFO and a device at once", async () => {
    const outer = folder();
    const fifo = path.join(outer, "fifo");
    linkSync(process.env["TEST_FIFO"] ?? "", fifo);
    const device = path.join(outer, "device");
    symlinkSync("/dev/zero", device);
    for (const place of [fifo, device]) await expect(readPrivateFile(place)).rejects.toThrow("not a regular file");
  });

  test("a file that other users may read becomes private when it is read, written or opened", async () => {
    const outer = folder();
    const files = ["read", "written", "opened"].map((name) => path.join(outer, name));
    for (const file of files) {
      writeFileSync(file, "old");
      chmodSync(file, 0o666);
    }
    const [read = "", written = "", opened = ""] = files;
    await readPrivateFile(read);
    await writePrivateFile(written, "new");
    makePrivateFile(opened);
    expect(files.map(mode)).toEqual([0o600, 0o600, 0o600]);
    expect((await readPrivateFile(opened)).toString()).toBe("old");
  });

  test("an existing folder keeps its mode", async () => {
    const shared = path.join(folder(), "shared");
    mkdirSync(shared, { mode: 0o755 });
    makePrivateFolder(shared);
    await writePrivateFile(path.join(shared, "file"), "");
    expect(mode(shared)).toBe(0o755);
  });
});
