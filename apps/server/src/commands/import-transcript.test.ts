import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folder, run, runOnTerminal } from "../run-cli.fixture.ts";

/** A line of Claude Code. */
function asked(content: string, at: number): string {
  const common = {
    parentUuid: null,
    isSidechain: false,
    userType: "external",
    cwd: "/home/anna/shop",
    version: "2.1.37",
  };
  const timestamp = new Date(Date.UTC(2027, 0, 31, 9, 0, at)).toISOString();
  const message = { role: "user", content };
  return JSON.stringify({ ...common, type: "user", sessionId: "s1", uuid: `u${at}`, timestamp, message });
}

const rollout = [
  { type: "session_meta", payload: { id: "r1", cwd: "/home/anna/shop", originator: "codex_cli_rs" } },
  { type: "event_msg", payload: { type: "user_message", message: "Paint the harbour blue." } },
].map((line) => JSON.stringify({ timestamp: "2027-01-31T09:00:00.000Z", ...line }));

const load = ["import", "--transcript"];
const store = ["--store", "store.db"];

test("import --transcript imports a session, names its broken lines, and adds what is new later", async () => {
  const lines = [asked("Why does the zebra migrate?", 0), "{broken", asked("It has TOKEN=canary in it.", 1)];
  const cwd = folder({ "session.jsonl": lines.join("\n") });
  const once = await run([...load, "session.jsonl", ...store], { cwd });
  const [, id] = /^episode (\w{16}), /.exec(once.stderr) ?? [];
  const head = `episode ${id}, claude-code 2027-01-31T09:00: Why does the zebra migrate?`;
  expect(once).toMatchObject({
    code: 0,
    stdout: "",
    stderr: `${head}\n2 parts imported\n1 line skipped:\n  line 2: not JSON\n`,
  });
  writeFileSync(path.join(cwd, "session.jsonl"), [...lines, asked("And the gnu?", 2)].join("\n"));
  const grown = await run([...load, "session.jsonl", ...store], { cwd });
  expect(grown.stderr).toContain("\n1 parts imported; the others were known\n");
  expect((await run([...load, "session.jsonl", ...store], { cwd })).stderr).toContain(
    "\nnothing imported: it is known already\n",
  );
  const found = await run(["memory", "recall", "zebra", ...store], { cwd });
  expect(found.stdout).toContain("asked: Why does the zebra migrate?");
  const all = await run(["export", ...store], { cwd });
  expect(all.stdout.split("\n").filter((line) => line.startsWith('{"kind":"episode_part","workspace"'))).toHaveLength(
    3,
  );
  expect(all.stdout).not.toContain("canary");
});

test("the session belongs to the workspace of the root, else of the current project, and may come from stdin", async () => {
  const cwd = folder();
  const imported = await run([...load, "-", "--root", ".", ...store], { cwd, stdin: rollout.join("\n") });
  expect(imported.code).toBe(0);
  expect(imported.stderr).toMatch(/^episode \w{16}, codex .*: Paint the harbour blue\.\n1 parts imported\n/);
  const recall = async (...flags: readonly string[]) =>
    (await run(["memory", "recall", "harbour", ...flags, ...store], { cwd })).stdout;
  expect(await recall("--root", ".")).toContain("Paint the harbour blue.");
  expect(await recall("--workspace", "default")).toBe("");
  const other = { cwd: folder() };
  await run([...load, "-", ...store], { ...other, stdin: rollout.join("\n") });
  const recalled = await run(["memory", "recall", "harbour", ...store, "--root", "."], other);
  expect(recalled.stdout).toContain("Paint the harbour blue.");
});

test.each([
  [
    "another file",
    '{"kind":"note","indexes":[],"text":[]}\n',
    /invalid_input: expected a transcript of Claude Code or Codex/,
  ],
  ["a folder", undefined, /\.: it is a directory/],
])("%s is refused, and creates no store", async (_what, content, message) => {
  const cwd = folder(content === undefined ? {} : { "file.jsonl": content });
  const { code, stderr } = await run([...load, content === undefined ? "." : "file.jsonl", ...store], { cwd });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) as string });
  expect(existsSync(path.join(cwd, "store.db"))).toBe(false);
});

test("a session with escape sequences controls no terminal", async () => {
  const cwd = folder({ "session.jsonl": asked("\u001B]0;owned\u0007\u001B[2J zebra", 0) });
  const output = await runOnTerminal([...load, "session.jsonl", ...store], { cwd });
  expect(output).toContain("zebra");
  for (const sequence of ["\u001B]", "\u0007", "\u001B[2J"]) expect(output).not.toContain(sequence);
});
