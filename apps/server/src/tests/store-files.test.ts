import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { note } from "@toolpacks/planner";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { redactAddress } from "../stores/store-address.ts";

/** A folder with a store of some 200 KB in it, `s.db`. */
async function withStore(): Promise<string> {
  const cwd = folder();
  const store = sqlite(path.join(cwd, "s.db"));
  await store.transaction(async (inside) => {
    for (let at = 0; at < 200; at += 1) await inside.put(note, { text: "x".repeat(1_000) });
  });
  await store.end();
  return cwd;
}

test.each(["s.db", "s.db-wal", "s.db-shm", "s.db-journal"])(
  "a tool cannot write to %s of the store, also if the store is named through a link",
  async (name) => {
    const cwd = await withStore();
    symlinkSync("s.db", path.join(cwd, "link.db"));
    writeFileSync(path.join(cwd, "evil.bin"), "evil");
    const flags = ["--store", "link.db", "--root", ".", "--write"];
    const args = { from: "evil.bin", to: name, overwrite: true };
    const { code, stderr } = await run(["call", "fs_copy", JSON.stringify(args), ...flags], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("denied") as string });
  },
);

test.each(["import", "import --graph"])(
  "an endless line fails `%s` with its limit, and a byte order mark is not part of a line",
  async (name) => {
    const command = name.split(" ");
    const cwd = await withStore();
    writeFileSync(path.join(cwd, "long.jsonl"), "x".repeat(34 * 1024 * 1024));
    const { code, stderr } = await run([...command, "long.jsonl", "--store", "s.db"], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "toolpacks: too_large: long.jsonl: line 1: expected at most 33554432 bytes\n",
    });
    writeFileSync(path.join(cwd, "mark.jsonl"), command.length === 1 ? '\uFEFF{"records":0}\n' : "\uFEFF\n");
    expect((await run([...command, "mark.jsonl", "--store", "s.db"], { cwd })).code).toBe(0);
  },
);

test("an import with slow input does not block other writers", async () => {
  const cwd = await withStore();
  const stdin = new PassThrough();
  const importing = run(["import", "-", "--store", "s.db"], { cwd, stdin });
  stdin.write('{"kind":"note","indexes":[],"text":[]}\n');
  // The import has started when it has created its temporary file, or has locked the store.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const put = ["call", "store_put", "kind=note", "record.text=x", "--store", "s.db", "--workspace", "default"];
  const { code, stderr } = await run(put, { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  stdin.end('{"records":0}\n');
  expect(await importing).toMatchObject({ code: 0, stderr: expect.stringContaining("0 records imported") as string });
});

test.each([
  ["pages", (bytes: Buffer) => bytes.fill(0xaa, bytes.length / 2)],
  ["JSON", (bytes: Buffer) => bytes.fill("?", bytes.lastIndexOf('{"text"'), bytes.lastIndexOf('{"text"') + 4)],
  [
    "names",
    (bytes: Buffer) => bytes.fill("x", bytes.indexOf('"name":"note"') + 8, bytes.indexOf('"name":"note"') + 12),
  ],
])("an export of damaged %s fails with one message, and leaves no file", async (_, damage) => {
  const cwd = await withStore();
  const file = path.join(cwd, "s.db");
  writeFileSync(file, damage(readFileSync(file)));
  const before = readdirSync(cwd);
  expect(await run(["export", "half.jsonl", "--store", "s.db"], { cwd })).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "toolpacks: unavailable: the store: the file is damaged\nWhat it still holds is not known. Run `toolpacks doctor`, and restore a backup.\n",
  });
  expect(readdirSync(cwd).filter((name) => !name.startsWith("s.db-"))).toEqual(before);
});

test.each([
  [["export", "nowhere/x.jsonl", "--store", "s.db"], "not_found: nowhere: there is no such file or directory"],
  [["backup", "nowhere/x.db", "--store", "s.db"], "not_found: nowhere: there is no such file or directory"],
  [["backup", "s.db", "--store", "s.db"], "conflict: s.db: there is a file of that name\nName a new one."],
  [["import", "nowhere.jsonl", "--store", "new.db"], "not_found: nowhere.jsonl: there is no such file or directory"],
  [["import", ".", "--store", "s.db"], "invalid_input: .: it is a directory"],
])("toolpacks %j fails and explains what is wrong with the named file", async (args, expected) => {
  const cwd = await withStore();
  expect(await run(args, { cwd })).toEqual({ code: 1, stdout: "", stderr: `toolpacks: ${expected}\n` });
  expect(existsSync(path.join(cwd, "new.db"))).toBe(false);
});

test("doctor and commands that only read do not create a store in an empty file", async () => {
  const cwd = folder({ "empty.db": "" });
  expect(await run(["doctor", "--store", "empty.db"], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/empty\.db, workspace .* \(created at its first use\)/),
  });
  expect((await run(["export", "--store", "empty.db"], { cwd })).code).toBe(2);
  expect(statSync(path.join(cwd, "empty.db")).size).toBe(0);
  expect(readdirSync(cwd)).toEqual(["empty.db"]);
});

test.each([
  ["/data/store.db", "/data/store.db"],
  ["postgres://u:secret@h:5432/db", "postgres://u:***@h:5432/db"],
  ["postgres://u@h/db", "postgres://u@h/db"],
  ["postgres://h/db?password=secret&sslmode=require", "postgres://h/db?password=***&sslmode=require"],
  ["POSTGRESQL://u:secret@h/db?sslp%61ssword=secret", "postgresql://u:***@h/db?sslpassword=***"],
  ["postgres://u:secret@secret@h/db", "postgres://u:***@h/db"],
  ["postgres://u:secret/secret@h/db", "postgres://***@h/db"],
  ["postgres://u:12/secret@h/db", "postgres://***@h/db"],
  ["postgres://u:12?secret@h/db?password=secret", "postgres://***@h/db?password=***"],
  ["postgres://u:12#secret@h/db", "postgres://***@h/db"],
  ["postgres://u:secret@/db?host=/run&password=secret", "postgres://***@/db?host=***&password=***"],
  ["postgres://u:secret/db", "postgres://***"],
])("redactAddress of %s shows no password", (address, shown) => {
  expect(redactAddress(address)).toBe(shown);
});

test("an export with any line separators in its texts can be imported", async () => {
  const cwd = folder();
  const record = { text: "one\u2028two\u2029three\nfour" };
  await run(["call", "store_put", JSON.stringify({ kind: "note", id: "n", record }), "--write", "--store", "a.db"], {
    cwd,
  });
  await run(["export", "all.jsonl", "--store", "a.db"], { cwd });
  expect(await run(["import", "all.jsonl", "--store", "b.db"], { cwd })).toMatchObject({ code: 0 });
  await run(["export", "again.jsonl", "--store", "b.db"], { cwd });
  const text = (file: string) => readFileSync(path.join(cwd, file), "utf8");
  expect(text("all.jsonl")).toContain("one\u2028two");
  expect(text("again.jsonl")).toBe(text("all.jsonl"));
});
