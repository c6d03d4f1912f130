import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run } from "./command.fixture.ts";

/** A folder with a store, and a function that runs commands there. */
function project(config: object = {}) {
  const cwd = folder({ "toolpacks.config.json": JSON.stringify(config) });
  const env = { TOOLPACKS_STORE: path.join(cwd, "store.db") };
  return (...args: readonly string[]) => run([...args, "--workspace", "w"], { cwd, env });
}

type Project = ReturnType<typeof project>;

/** Creates an issue. Returns its id. */
async function create(toolpacks: Project, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await toolpacks("issues", "create", ...args);
  expect(stderr).toBe("");
  return /^created (\S+): /.exec(stdout)?.[1] ?? "";
}

/** The first words of each line of a table. */
function firstWords(table: string): readonly string[] {
  return table
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/\s/)[0] ?? "");
}

describe("toolpacks issues", () => {
  test("creates, lists, shows and closes issues", async () => {
    const toolpacks = project();
    const first = await create(toolpacks, "Log in", "--type", "bug", "--priority", "0", "--label", "web");
    const second = await create(toolpacks, "Log out", "--needs", first, "--assignee", "ann", "--parent", first);
    expect((await toolpacks("issues", "list")).stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["id", "prio", "type", "status", "assignee", "blockers", "blocks", "labels", "title"],
      [first, "P0", "bug", "open", "1", "web", "Log in"],
      [second, "P0", "task", "open", "ann", "1", "Log out"],
      [""],
    ]);
    const shown = (await toolpacks("issues", "show", second)).stdout;
    expect(shown).toMatch(new RegExp(`^${second}  Log out\nstatus: open\npriority: 0\n`));
    expect(shown).toContain(`not ready: blocked by ${first}`);
    expect(shown).toContain(`dependencies:\n  parent-child ${first}\n  blocks ${first}\n`);
    expect((await toolpacks("issues", "close", second, first, "--reason", "done")).stdout).toBe(
      `closed ${second}: Log out\nclosed ${first}: Log in\n`,
    );
    expect((await toolpacks("issues", "show", first)).stdout).toContain("close_reason: done\n");
  });

  test("close names what it unblocks, and closes all or none", async () => {
    const toolpacks = project();
    const first = await create(toolpacks, "First");
    const second = await create(toolpacks, "Second", "--needs", first);
    expect(await toolpacks("issues", "close", first, "none")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining('toolpacks: not_found: id: there is no issue with the id "none"\n'),
    });
    expect((await toolpacks("issues", "close", first)).stdout).toBe(
      `closed ${first}: First\nunblocked ${second}: Second\n`,
    );
  });

  test("list maps its flags to the fields of issue_list", async () => {
    const toolpacks = project();
    const ids: string[] = [];
    for (const [title, ...flags] of [
      ["a", "--label", "x", "--type", "bug", "--assignee", "ann"],
      ["b", "--label", "x", "--priority", "4"],
      ["c", "--description", "about rockets"],
    ]) {
      ids.push(await create(toolpacks, title ?? "", ...flags));
    }
    const [a, b, c = ""] = ids;
    const d = await create(toolpacks, "d", "--needs", c);
    await toolpacks("issues", "close", a ?? "");
    const list = async (...flags: readonly string[]) => {
      const { stdout } = await toolpacks("issues", "list", ...flags);
      return firstWords(stdout).slice(1);
    };
    expect(await list("--label", "x", "--status", "all", "--sort", "newest")).toEqual([b, a]);
    expect(await list("--status", "closed")).toEqual([a]);
    expect(await list("--assignee", "none", "--sort", "blocks")).toEqual([c, d, b]);
    expect(await list("--assignee", "ann")).toEqual([]);
    expect(await list("--priority", "3", "--priority", "4")).toEqual([b]);
    expect(await list("--type", "bug", "--status", "open", "--status", "closed")).toEqual([a]);
    expect(await list("--text", "rockets")).toEqual([c]);
    expect(await toolpacks("issues", "list", "--limit", "2")).toMatchObject({
      code: 0,
      stderr: "2 of 3 issues; --limit 3 shows all\n",
    });
    expect((await toolpacks("issues", "list", "--sort", "size")).stderr).toContain("sort: expected one of");
    expect(await toolpacks("issues", "list", "--status", "opne")).toEqual({
      code: 0,
      stdout: "",
      stderr: 'Unusual status "opne": did you mean open?\n',
    });
  });

  test("list reads as many pages as --limit needs", async () => {
    const toolpacks = project();
    for (const count of [100, 100, 50]) {
      const issues = Array.from({ length: count }, (_, at) => ({ title: `Issue ${at}` }));
      await toolpacks("call", "issue_create", JSON.stringify({ issues }));
    }
    const { stdout, stderr } = await toolpacks("issues", "list", "--limit", "240");
    expect(new Set(firstWords(stdout).slice(1)).size).toBe(240);
    expect(stderr).toBe("240 of 250 issues; --limit 250 shows all\n");
    const { items, cursor } = JSON.parse((await toolpacks("issues", "list", "--limit", "999", "--json")).stdout) as {
      items: readonly object[];
      cursor?: string;
    };
    expect({ count: items.length, cursor }).toEqual({ count: 250, cursor: undefined });
  });

  test("an empty list says how to select the records of the folder", async () => {
    const cwd = folder();
    const env = { TOOLPACKS_STORE: path.join(cwd, "store.db") };
    await run(["issues", "create", "One", "--root", "."], { cwd, env });
    expect(await run(["issues", "list"], { cwd, env })).toEqual({
      code: 0,
      stdout: "",
      stderr: "no issues match\nto select the records of this folder: --root .\n",
    });
    expect((await run(["issues", "list", "--root", "."], { cwd, env })).stdout).toContain("One");
  });

  test("--json prints the structured result of the tool", async () => {
    const toolpacks = project();
    const created = JSON.parse((await toolpacks("issues", "create", "One", "--json")).stdout) as {
      items: readonly [{ id: string }];
    };
    const { id } = created.items[0];
    const call = async (tool: string, args: object) => {
      return JSON.parse((await toolpacks("call", tool, JSON.stringify(args), "--json")).stdout) as unknown;
    };
    for (const [command, tool, args] of [
      [["list"], "issue_list", {}],
      [["show", id], "issue_show", { ids: [id] }],
    ] as const) {
      expect(JSON.parse((await toolpacks("issues", ...command, "--json")).stdout)).toEqual(await call(tool, args));
    }
    expect(JSON.parse((await toolpacks("issues", "board", "--json")).stdout)).toMatchObject([
      { name: "ready", items: [{ id, title: "One" }], total: 1 },
      { name: "in progress", items: [] },
      { name: "blocked", items: [] },
      { name: "closed lately", items: [] },
    ]);
    expect(JSON.parse((await toolpacks("issues", "close", id, "--json")).stdout)).toMatchObject({ items: [{ id }] });
  });

  test("text of an issue cannot look like another field", async () => {
    const toolpacks = project();
    const id = await create(toolpacks, "One\nstatus: closed", "--description", "line\nstatus: closed\n\u001B[2J");
    const { stdout } = await toolpacks("issues", "show", id);
    expect(stdout.split("\n").filter((line) => line.startsWith("status:"))).toEqual(["status: open"]);
    expect(stdout).toContain("description:\n  line\n  status: closed\n  \\u{1b}[2J\n");
  });

  test.each([
    [{ readOnly: true }, "start the server without --read-only"],
    [{ deny: ["issue_create"] }, "remove issue_create from deny"],
    [{ packs: { issues: false } }, 'Remove "issues": false from packs'],
  ])("with %j, create is refused and says what allows it", async (config, advice) => {
    const { code, stdout, stderr } = await project(config)("issues", "create", "One");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(advice);
  });

  test("board reads by the tools of a model: it is refused where they are denied", async () => {
    expect(await project({ deny: ["issue_blocked"] })("issues", "board")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("remove issue_blocked from deny"),
    });
  });

  test("a command leaves a trace, like the call of a model", async () => {
    const toolpacks = project();
    await create(toolpacks, "One");
    const { stdout } = await toolpacks("call", "trace_timeline", "{}", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ tool: "issue_create", outcome: "ok" }], total: 1 });
  });
});

describe("toolpacks memory", () => {
  test("remembers and recalls", async () => {
    const toolpacks = project();
    const anvil = await toolpacks("memory", "remember", "The anvil is heavy.", "--about", "anvil", "--tag", "tools");
    const id = /^remembered (\S+): The anvil is heavy\.\n$/.exec(anvil.stdout)?.[1] ?? "";
    expect((await toolpacks("memory", "remember", "The anvil is heavy.", "--about", "anvil")).stdout).toBe(
      `known before ${id}: The anvil is heavy.\n`,
    );
    await toolpacks("memory", "remember", "Ducks swim.");
    const { stdout } = await toolpacks("memory", "recall", "how heavy is the anvil", "--limit", "3");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["id", "about", "tags", "text"],
      [id, "anvil", "tools", "The anvil is heavy."],
      [""],
    ]);
    expect(await toolpacks("memory", "recall", "--limit", "1")).toMatchObject({
      stdout: expect.stringContaining("Ducks swim."),
      stderr: "1 of 2 observations; --limit shows more\n",
    });
    expect(await toolpacks("memory", "recall", "zebra")).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "Nothing is known of it. Try fewer or other words.\n",
    });
  });

  test("a newer text supersedes an older one", async () => {
    const toolpacks = project();
    const old = await toolpacks("memory", "remember", "Billing runs on port 80.", "--about", "billing");
    const id = old.stdout.split(/[ :]/)[1] ?? "";
    const before = new Date().toISOString();
    const text = "Billing runs on port 81.";
    expect((await toolpacks("memory", "remember", text, "--about", "billing")).stdout).toContain(
      `  similar ${id}: Billing runs on port 80.\nto replace a similar text that no longer holds: --supersedes <id>\n`,
    );
    expect((await toolpacks("memory", "remember", text, "--about", "billing", "--supersedes", id)).stdout).toContain(
      "it supersedes: Billing runs on port 80.",
    );
    const recall = async (...flags: readonly string[]) =>
      firstWords((await toolpacks("memory", "recall", "billing port", "--about", "billing", ...flags)).stdout);
    expect(await recall()).not.toContain(id);
    expect(await recall("--history")).toContain(id);
    expect(await recall("--as-of", before)).toContain(id);
  });

  test("graph shows entities and their relations", async () => {
    const toolpacks = project();
    const link = { from: "Anna", type: "owns", to: "anvil" };
    await toolpacks("memory", "remember", "Anna is a smith.", "--about", "Anna");
    await toolpacks("memory", "remember", "The anvil is heavy.", "--about", "anvil");
    await toolpacks("call", "memory_link", JSON.stringify(link));
    const { stdout } = await toolpacks("memory", "graph", "Anna");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["entity", "steps", "known"],
      ["Anna", "0", "Anna is a smith."],
      ["anvil", "1", "The anvil is heavy."],
      [""],
      ["from", "relation", "to"],
      ["Anna", "owns", "anvil"],
      [""],
    ]);
    expect(await toolpacks("memory", "graph", "Anan")).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining('Did you mean "Anna"?'),
    });
  });
});
