import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ArchiveLine } from "@toolpacks/core";
import { ownerProblems, sqlite } from "@toolpacks/store-sqlite";
import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

const bad = [
  ["issue", { title: 7, status: "open", priority: 2 }],
  ["observation", { text: "Anna", about: { a: 1 }, since: "2026" }],
  ["trace", { tool: "x", outcome: "ok", at: 5, ms: 1 }],
] as const;

function archive(kind: string, data: object): readonly ArchiveLine[] {
  const record = { kind, workspace: "default", id: "bad", generation: 1, closed: false, data: { ...data } };
  return [{ kind, indexes: [], text: [] }, record, { records: 1 }];
}

const jsonl = (lines: readonly ArchiveLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

test.each(bad)("import refuses a %s that its kind does not accept, and names the line", async (kind, data) => {
  const cwd = folder({ "bad.jsonl": jsonl(archive(kind, data)) });
  expect(await run(["import", "bad.jsonl", "--store", "s.db"], { cwd })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^toolpacks: invalid_input: line 2: /),
  });
  expect((await run(["export", "-", "--store", "s.db"], { cwd })).stdout).not.toContain('"id"');
});

test("doctor names stored records that their kinds do not accept", async () => {
  const cwd = folder();
  const store = sqlite(path.join(cwd, "s.db"));
  for (const [kind, data] of bad) await store.import(archive(kind, data));
  await store.end();
  const { code, stdout } = await run(["doctor", "--store", "s.db"], { cwd });
  expect(code).toBe(1);
  for (const [kind] of bad) {
    expect(stdout).toContain(`${kind} "bad" of the workspace "default" does not match the schema of its kind: `);
  }
});

test("records that the server's own tools write are exported, imported and valid", async () => {
  const cwd = folder({ "a.txt": "text\n" });
  const calls = [
    ["issue_create", { issues: [{ title: "One", labels: ["x"] }, { title: "Two" }] }],
    ["memory_remember", { text: "Anna works in Lund", about: ["Anna", "Bob"] }],
    ["memory_link", { from: "Anna", type: "knows", to: "Bob" }],
    ["state_save", { name: "s1", memory: "x", goal: "x", next: ["n"] }],
    ["store_put", { kind: "reminder", record: { text: "Call", due: "2027-01-01" } }],
    ["workflow_eval", { steps: [{ id: "a", tool: "fs_read", params: { path: "a.txt" } }] }],
    ["workflow_eval", { steps: [{ id: "a", tool: "fs_read", params: { path: "none.txt" } }] }],
  ] as const;
  const place = ["--store", "one.db", "--workspace", "default", "--root", "."];
  for (const [tool, args] of calls) await run(["call", tool, JSON.stringify(args), ...place], { cwd });
  await run(["export", "all.jsonl", "--store", "one.db"], { cwd });
  const kinds = new Set(readFileSync(path.join(cwd, "all.jsonl"), "utf8").match(/(?<="kind":")\w+(?=","workspace")/g));
  expect([...kinds]).toEqual(
    expect.arrayContaining(["entity", "issue", "observation", "relation", "reminder", "report", "state", "trace"]),
  );
  expect(await run(["import", "all.jsonl", "--store", "two.db"], { cwd })).toMatchObject({ code: 0 });
  expect((await run(["doctor", "--store", "two.db"], { cwd })).stdout).not.toContain(
    "does not match the schema of its kind",
  );
});

test("export --graph stops at a damaged record with one message", async () => {
  const cwd = folder();
  const store = sqlite(path.join(cwd, "s.db"));
  await store.import(archive("observation", { text: "Anna", about: { a: 1 }, since: "2026" }));
  await store.end();
  const { stderr } = await run(["export", "--graph", "-", "--store", "s.db", "--workspace", "default"], { cwd });
  expect(stderr).toMatch(
    /^toolpacks: unavailable: observation "bad": the stored record is damaged: about: .*\n`toolpacks doctor` lists .*\n$/,
  );
});

test("store_query does not show the fields of a report in which a failed run keeps secrets", async () => {
  const cwd = folder();
  const steps = [{ id: "a", tool: "fs_read", params: { path: "none.txt", note: "AKIAABCDEFGHIJKLMNOP" } }];
  const place = ["--store", "s.db", "--workspace", "default", "--root", "."];
  await run(["call", "workflow_eval", JSON.stringify({ steps }), ...place], { cwd });
  const query = async (fields: readonly string[]) =>
    run(["call", "store_query", JSON.stringify({ kind: "report", fields }), ...place], { cwd });
  const { stdout } = await query(["*"]);
  expect(stdout).toContain("status=failed");
  expect(stdout).not.toContain("AKIA");
  expect(JSON.stringify(await query(["plan"]))).toContain(
    "denied: fields: plan of a report is shown only by the tools of its pack",
  );
});

test.skipIf(process.getuid?.() !== 0)("doctor names a store file of another user", async () => {
  const cwd = folder();
  const file = path.join(cwd, "s.db");
  const store = sqlite(file);
  await store.generation();
  await store.end();
  chownSync(file, 64_002, 64_002);
  chmodSync(file, 0o666);
  const warning = `toolpacks: the store belongs to another user, who can read and change every record: ${file}`;
  const put = [
    "call",
    "store_put",
    '{"kind":"note","record":{"text":"x"}}',
    "--store",
    "s.db",
    "--write",
    "--log-level",
    "warn",
  ];
  const { stderr } = await run(put, { cwd });
  expect(stderr.split("\n").filter((line) => line.startsWith(warning))).toHaveLength(1);
  const { code, stdout } = await run(["doctor", "--store", "s.db"], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain(`the store belongs to another user, who can read and change every record: ${file}`);
  expect(stdout).toContain("users besides its owner may write to it");
});

test.skipIf(process.getuid === undefined)(
  "a start warns of a store in a folder that every user may write to",
  async () => {
    const cwd = folder();
    const shared = path.join(cwd, "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    const put = [
      "call",
      "store_put",
      '{"kind":"note","record":{"text":"x"}}',
      "--write",
      "--log-level",
      "warn",
      "--store",
    ];
    const { stderr } = await run([...put, "shared/s.db"], { cwd });
    expect(stderr).toContain(`every user may write to the store's folder, and can replace the store: ${shared}`);
    expect((await run(["doctor", "--store", "shared/s.db"], { cwd })).stdout).toContain("every user may write to");
    expect((await run([...put, "s.db"], { cwd })).stderr).not.toContain("the store");
  },
);

test.skipIf(process.getuid === undefined)(
  "ownerProblems names folders in which another user can replace the store",
  () => {
    const cwd = folder();
    const [shared, own, group] = ["shared", "shared/own", "group"].map((name) => path.join(cwd, name));
    for (const [place = "", mode] of [
      [shared, 0o777],
      [own, 0o700],
      [group, 0o770],
    ] as const) {
      mkdirSync(place);
      chmodSync(place, mode);
    }
    writeFileSync(path.join(cwd, "shared/target.db"), "");
    symlinkSync("shared/target.db", path.join(cwd, "link.db"));
    const problems = (file: string) => ownerProblems(path.join(cwd, file));
    expect(problems("s.db")).toEqual([]);
    expect(problems("shared/own/s.db")).toEqual([
      `every user may write to a folder above the store, and can replace the store: ${shared}`,
    ]);
    expect(problems("link.db")).toEqual([
      `every user may write to the store's folder, and can replace the store: ${shared}`,
    ]);
    if (process.getuid?.() !== 0) return;
    chownSync(String(group), 0, 65_534);
    expect(problems("group/s.db")).toEqual([
      `users of the group 65534 may write to the store's folder, and can replace the store: ${group}`,
    ]);
  },
);
