import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { folder, run } from "../command.fixture.ts";
import { canRunWarm, warmServers } from "./warm.fixture.ts";

const canary = new URL("../../../../packages/upstream/src/canary-server.fixture.ts", import.meta.url).pathname;

function project(): string {
  const steps = [{ id: "read", tool: "fs_read", params: { path: "a.txt" } }];
  const config = {
    roots: ["."],
    workflows: { good: { steps }, bad: { steps: [{ tool: "fs_read", params: { path: "b.txt" } }] } },
    mcpServers: { other: { command: process.execPath, args: [canary, "starts.log"] } },
  };
  return folder({
    "toolpacks.config.json": JSON.stringify(config),
    "a.txt": "text \u001B[2J\n",
    "broken.json": '{"expse": []}',
    "queries.jsonl": '{"query":"read a file"}\n{"query":"remember a fact"}\n',
    "args.json": '{"path":"a.txt"}',
  });
}

/** Command lines, and what each of them shows, so that no comparison is between two unexpected errors. */
const commandLines: readonly (readonly [args: readonly string[], shown: RegExp])[] = [
  [["call", "fs_read", '{"path":"a.txt"}'], /text/],
  [["call", "fs_read", "path=a.txt", "endLine=1", "--json"], /"text/],
  [["call", "fs_read", "@args.json"], /text/],
  [["call", "fs_read", '{"path":"b.txt"}'], /^not_found: b\.txt/],
  [["call", "fs_read", '{"path":"b.txt"}', "--json"], /"code":"not_found"/],
  [["call", "fs_read", "pth=b.txt"], /did you mean/],
  [["call", "fs_read", "paths.5=b.txt"], /paths/],
  [["call", "fs_reed", "{}"], /fs_read/],
  [["call", "fs_write", '{"path":"a","content":""}'], /denied/],
  [["call", "fs_stat", "{path"], /expected JSON|expected key=value/],
  [["call", "fs_read", '{"path":"a.txt"}', "--nope"], /unknown option/],
  [["call", "fs_read", '{"path":"a.txt"}', "--root", "nowhere"], /expected an existing directory/],
  [["call", "fs_read", '{"path":"a.txt"}', "--config", "broken.json"], /did you mean expose/],
  [["call", "fs_read", '{"path":"a.txt"}', "--deny", "fs_read"], /denied/],
  [["call", "fs_read", '{"path":"a.txt"}', "--facet", "issues"], /fs_read/],
  [["search", "read a file", "--limit", "2"], /fs_read/],
  [["search"], /expected a sentence/],
  [["issues", "list"], /no issues|none/],
  [["issues", "show", "bd-none"], /not_found/],
  [["workflows", "list"], /good/],
  [["workflows", "run", "god"], /did you mean|good/],
];

describe.skipIf(!canRunWarm)("with a warm server", () => {
  const warm = warmServers(afterAll);
  const cwd = project();
  const store = path.join(folder(), "store.db");
  const both = async (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    const env = { ...variables, TOOLPACKS_STORE: store };
    const cold = await run(args, { cwd, env: { ...warm.env, ...env, TOOLPACKS_WARM: "0" } });
    const results = [];
    // The first one starts the server.
    for (let count = 0; count < 2; count += 1) results.push(await run(args, { cwd, env: { ...warm.env, ...env } }));
    return { cold, results };
  };

  test.each(commandLines)("%j prints and exits as without one", async (args, shown) => {
    const { cold, results } = await both(args);
    expect(cold.stdout + cold.stderr).toMatch(shown);
    expect(results).toEqual([cold, cold]);
  });

  test("commands used one", () => {
    expect(warm.sockets().length).toBeGreaterThan(0);
  });

  test("the warnings of the settings are printed once, and the log has the level of the command", async () => {
    for (const level of [[], ["--log-level", "error"]]) {
      const { cold, results } = await both(["call", "fs_read", "path=a.txt", ...level], { TOOLPACKS_WRITEE: "1" });
      expect(cold.stderr.includes("TOOLPACKS_WRITEE")).toBe(level.length === 0);
      expect(results).toEqual([cold, cold]);
    }
  });

  test("a large result is printed whole", async () => {
    writeFileSync(path.join(cwd, "large.txt"), "a line of text \u2028\n".repeat(30_000));
    const { cold, results } = await both(["call", "fs_read", "path=large.txt"]);
    expect(cold.stdout.length).toBeGreaterThan(30_000);
    expect(results).toEqual([cold, cold]);
  });

  test("a run of a workflow shows its steps, and the next command sees its report and its traces", async () => {
    const env = { ...warm.env, TOOLPACKS_STORE: store };
    const good = await run(["workflows", "run", "good"], { cwd, env });
    expect(good).toMatchObject({ code: 0, stderr: expect.stringContaining("[1/1] read: ok") });
    const [, id = ""] = /workflows report (\w+)/.exec(good.stderr) ?? [];
    const cold = { ...env, TOOLPACKS_WARM: "0" };
    expect((await run(["workflows", "report", id], { cwd, env: cold })).stdout).toMatch(/^good ok/);
    expect((await run(["traces"], { cwd, env: cold })).stdout).toContain("fs_read");
    expect(await run(["workflows", "run", "bad"], { cwd, env })).toMatchObject({ code: 1 });
  });
});
