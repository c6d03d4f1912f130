import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  isTemporaryName,
  temporaryName,
  writeAtomically,
  writeAtomicallySync,
  type AtomicContent,
  type CancellableWriteOptions,
} from "./write-atomically.ts";

const folder = () => mkdtempSync(path.join(tmpdir(), "toolpacks-write-"));

/** Both forms of the function, with the options that both have. */
const forms = [
  ["writeAtomically", writeAtomically],
  [
    "writeAtomicallySync",
    async (...args: Parameters<typeof writeAtomicallySync>) => {
      writeAtomicallySync(...args);
    },
  ],
] as const;

describe.each(forms)("%s", (_, write) => {
  test("creates and replaces a file, and leaves no other file", async () => {
    const directory = folder();
    const file = path.join(directory, "a.txt");
    await write(file, "first");
    await write(file, Buffer.from([0, 255]));
    expect(readFileSync(file)).toEqual(Buffer.from([0, 255]));
    expect(readdirSync(directory)).toEqual(["a.txt"]);
  });

  test("fails with EEXIST for a taken name without overwrite, and keeps the file", async () => {
    const directory = folder();
    const file = path.join(directory, "a.txt");
    writeFileSync(file, "first");
    await expect(write(file, "second", { overwrite: false })).rejects.toMatchObject({ code: "EEXIST" });
    expect(readFileSync(file, "utf8")).toBe("first");
    expect(readdirSync(directory)).toEqual(["a.txt"]);
  });

  test("gives a new name to one of several writes without overwrite", async () => {
    const directory = folder();
    const file = path.join(directory, "a.txt");
    const writes = Array.from({ length: 20 }, (__, at) => write(file, `content ${at}`, { overwrite: false }));
    const results = await Promise.allSettled(writes);
    const won = results.findIndex(({ status }) => status === "fulfilled");
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(readFileSync(file, "utf8")).toBe(`content ${won}`);
    expect(readdirSync(directory)).toEqual(["a.txt"]);
  });

  test.skipIf(process.platform === "win32").each([0o600, 0o664, 0o755, 0o444])(
    "gives the file exactly the mode %o",
    async (mode) => {
      const file = path.join(folder(), "a.txt");
      await write(file, "x", { mode });
      expect(statSync(file).mode & 0o7777).toBe(mode);
    },
  );

  test.skipIf(process.platform === "win32")("replaces a link, not its target", async () => {
    const directory = folder();
    const [target, link] = [path.join(directory, "target"), path.join(directory, "link")];
    writeFileSync(target, "canary");
    symlinkSync(target, link);
    await write(link, "new");
    expect(readFileSync(target, "utf8")).toBe("canary");
    expect(readFileSync(link, "utf8")).toBe("new");
    expect(() => readlinkSync(link)).toThrow();
  });

  test("fails for a folder as the target, and leaves no other file", async () => {
    const directory = folder();
    const file = path.join(directory, "taken");
    mkdirSync(file);
    await expect(write(file, "x")).rejects.toThrow();
    await expect(write(file, "x", { overwrite: false })).rejects.toThrow();
    expect(readdirSync(directory)).toEqual(["taken"]);
  });
});

describe("writeAtomically", () => {
  const no = () => Promise.reject(new Error("no"));
  test.each<[string, AtomicContent, CancellableWriteOptions]>([
    ["the content fails", no, {}],
    ["the confirmation fails", "new", { confirm: no }],
    ["the signal is aborted", "new", { signal: AbortSignal.abort(new Error("no")) }],
  ])("changes nothing when %s", async (_, content, options) => {
    const directory = folder();
    const file = path.join(directory, "a.txt");
    writeFileSync(file, "first");
    await expect(writeAtomically(file, content, options)).rejects.toThrow(/no|aborted/);
    expect(readFileSync(file, "utf8")).toBe("first");
    expect(readdirSync(directory)).toEqual(["a.txt"]);
  });

  test("recognizes the temporary names of a file, and of no other", () => {
    const long = "ü".repeat(120);
    expect(Buffer.byteLength(temporaryName(long))).toBeLessThan(255);
    expect(isTemporaryName(temporaryName(long), long)).toBe(true);
    expect(isTemporaryName(temporaryName("a.json"), "a.json")).toBe(true);
    expect(isTemporaryName(temporaryName("b.json"), "a.json")).toBe(false);
    expect(isTemporaryName(".a.json.backup.tmp", "a.json")).toBe(false);
  });
});
