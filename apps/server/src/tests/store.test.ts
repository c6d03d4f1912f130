import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { note } from "@toolpacks/planner";
import { createDatabase, type TestDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

/** A session of a client with its own server process. `ask` returns the text that the model reads. */
async function session(
  flags: readonly string[],
  { cwd = folder(), env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(serverTransport(["--trust", ...flags], { cwd, env: { ...env } }));
  const ask = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
  };
  return { client, ask, end: () => client.close() };
}

let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
  return () => server.remove();
});

describe.each([
  ["SQLite", () => path.join(folder(), "store.db")],
  ["PostgreSQL", () => server.address],
])("the store's tools on %s", (_, newAddress) => {
  test("keep records for the next process, and answer errors with a next step", async () => {
    const address = newAddress();
    const first = await session(["--store", address]);
    expect(await first.ask("tool_describe", { name: "store_put", kind: "reminder" })).toMatch(
      /kind reminder: .*\n {2}text: string\n {2}due: date.*\nfilter and sort by: id, due/s,
    );
    expect(await first.ask("store_put", { kind: "note", id: "n1", record: { text: "Milk", tags: ["shop"] } })).toBe(
      'note n1 Milk tags=["shop"], generation 1',
    );
    expect(await first.ask("store_put", { kind: "note", record: { txt: 5, tags: "shop" } })).toMatch(
      /^invalid_input: text: required.*; tags: .*; txt: unknown field/,
    );
    expect(await first.ask("store_query", { kind: "notes" })).toMatch(
      /did you mean note\?\nKinds: .*note, reminder, report\.$/,
    );
    await first.end();

    const second = await session([], { env: { TOOLPACKS_STORE: address } });
    expect(await second.ask("store_query", { kind: "note", text: "milk" })).toBe('n1 Milk tags=["shop"]');
    expect(await second.ask("store_close", { kind: "note", id: "n1" })).toContain("(closed)");
    expect(await second.ask("store_query", { kind: "note" })).toBe("none");
    await second.end();

    const elsewhere = await session(["--store", address, "--workspace", "other"]);
    expect(await elsewhere.ask("store_query", { kind: "note", includeClosed: true })).toBe("none");
    await elsewhere.end();
  });

  test("two processes see each other's writes at once", async () => {
    const address = newAddress();
    const [one, two] = await Promise.all([session(["--store", address]), session(["--store", address])]);
    await Promise.all(
      [one, two].flatMap(({ ask }, at) =>
        Array.from({ length: 20 }, (_none, number) =>
          ask("store_put", { kind: "note", id: `${at}-${number}`, record: { text: "shared" } }),
        ),
      ),
    );
    for (const { ask, end } of [one, two]) {
      expect(await ask("store_query", { kind: "note", text: "shared", limit: 1 })).toContain("(1 of 40)");
      await end();
    }
  });
});

/** A folder in which a server writes only the requested files. */
const untraced = () => folder({ "toolpacks.config.json": '{"packs":{"memory":{"traces":false}}}' });

test("export, import and backup carry everything from store to store", async () => {
  const cwd = untraced();
  const { ask, end } = await session(["--store", "one.db"], { cwd });
  await ask("store_put", { kind: "note", id: "n1", record: { text: "Milk" } });
  await ask("store_put", { kind: "reminder", id: "r1", record: { text: "Call", due: "2027-01-01" } });
  await ask("store_close", { kind: "note", id: "n1" });
  await end();

  const exported = await run(["export", "all.jsonl", "--store", "one.db"], { cwd });
  expect(exported).toEqual({ code: 0, stdout: "", stderr: "2 records exported\n" });
  const printed = await run(["export", "--store", "one.db"], { cwd });
  expect(printed.stdout).toBe(readFileSync(path.join(cwd, "all.jsonl"), "utf8"));
  expect((await run(["export", "all.jsonl", "--store", "one.db"], { cwd })).stderr).toContain(
    "conflict: all.jsonl: there is a file of that name",
  );

  const imported = await run(["import", "all.jsonl", "--store", server.address], { cwd });
  expect(imported).toEqual({ code: 0, stdout: "", stderr: "2 records imported\n" });
  const back = await run(["export", "--store", server.address], { cwd });
  const ids = (jsonl: string) => [...jsonl.matchAll(/"id":"([nr]1)"/g)].map(([, id]) => id);
  expect(ids(back.stdout)).toEqual(ids(printed.stdout));

  writeFileSync(path.join(cwd, "bad.jsonl"), `${printed.stdout}{"kind":\n`);
  const refused = await run(["import", "bad.jsonl", "--store", "two.db"], { cwd });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/invalid_input: line \d+: /) });
  expect((await run(["export", "-", "--store", "two.db"], { cwd })).stdout).not.toContain('"id"');

  const copied = await run(["backup", "copy.db", "--store", "one.db"], { cwd });
  expect(copied).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("one.db copied to copy.db, generation "),
  });
  expect((await run(["export", "--store", "copy.db"], { cwd })).stdout).toBe(printed.stdout);
  expect((await run(["backup", "copy2.db", "--store", server.address], { cwd })).stderr).toContain("pg_dump");
});

test("doctor checks the store, creates none, and never prints a password", async () => {
  const cwd = untraced();
  const fresh = await run(["doctor", "--store", "none.db"], { cwd });
  expect(fresh).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/none\.db, workspace .* \(created at its first use\)/),
  });
  expect(existsSync(path.join(cwd, "none.db"))).toBe(false);

  const { ask, end } = await session(["--store", "store.db"], { cwd });
  for (let at = 0; at < 60; at += 1) await ask("store_put", { kind: "note", record: { text: "x".repeat(900) } });
  await end();
  expect((await run(["doctor", "--store", "store.db"], { cwd })).stdout).toMatch(
    /store: .*generation \d+\nno problems|store: .*generation \d+\n.*no problems/s,
  );
  const file = path.join(cwd, "store.db");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xaa, bytes.length / 2));
  const damaged = await run(["doctor", "--store", "store.db"], { cwd });
  expect(damaged).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ the store(: the file)? is damaged/) });

  const lost = await run(["doctor", "--store", "postgres://someone:hidden-word@127.0.0.1:1/none"], { cwd });
  expect(lost).toMatchObject({ code: 1, stdout: expect.stringContaining("nothing listens at its address") });
  expect(lost.stdout + lost.stderr).not.toContain("hidden-word");
}, 120_000);

test("doctor creates no store in PostgreSQL, and reports a database that cannot be written", async () => {
  const empty = await createDatabase();
  onTestFinished(() => empty.remove());
  const { address } = empty;
  const doctor = async (store: string) => (await run(["doctor", "--store", store])).stdout;
  expect(await doctor(address)).toMatch(/^✓ store: .*test_\w+, workspace .* \(created at its first use\)$/m);
  // It would be there by now.
  expect(await doctor(address)).toMatch(/\(created at its first use\)\n(.*\n)*no problems.*\n$/);
  expect(await doctor(`${address}?options=-c%20default_transaction_read_only%3Don`)).toContain(
    "✗ the store cannot be made: the database is read-only",
  );
});

test("a store that cannot be used fails the call, and the server keeps running", async () => {
  const cwd = folder();
  mkdirSync(path.join(cwd, "store.db"));
  const { ask, end } = await session(["--store", "store.db"], { cwd });
  expect(await ask("store_put", { kind: "note", record: { text: "a" } })).toMatch(
    /^unavailable: the store: the file cannot be opened/,
  );
  expect(await ask("tool_search", { query: "put a record" })).toContain("store_put");
  await end();
});

test("the workspace is the project of the first root, or of the current folder, or default", async () => {
  const cwd = folder();
  mkdirSync(path.join(cwd, "shop", ".git"), { recursive: true });
  mkdirSync(path.join(cwd, "shop", "src"));
  const inProject = await run(["doctor", "--root", "shop/src", "--store", "s.db"], { cwd });
  expect(inProject.stdout).toContain("workspace shop");
  const inShop = await run(["doctor", "--store", "s.db"], { cwd: path.join(cwd, "shop/src") });
  expect(inShop.stdout).toContain("workspace shop");
  expect((await run(["doctor"], { cwd: "/" })).stdout).toContain("workspace default");
});

test("a very long list says that there are more records than counted", async () => {
  const address = path.join(folder(), "store.db");
  const store = sqlite(address);
  await store.transaction(async (inside) => {
    for (let at = 0; at <= 10_000; at += 1) await inside.put(note, { text: "Milk" }, { id: `n${at}` });
  });
  await store.end();
  const { ask, end } = await session(["--store", address]);
  expect(await ask("store_query", { kind: "note", limit: 1 })).toMatch(
    /^n0 Milk\n\(1 of 10000\)\nnext: cursor ".*"\nMore than 10000 match\.$/,
  );
  await end();
});
