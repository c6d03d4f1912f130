import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run, type RunOptions } from "../run-cli.fixture.ts";

/** A folder with a store and a config file, and a function that runs commands there. */
function project(config: object = {}, options: RunOptions = {}) {
  const cwd = folder({ "toolpacks.config.json": JSON.stringify(config) });
  const store = path.join(cwd, "store.db");
  return (...args: readonly string[]) => run([...args, "--store", store, "--workspace", "w"], { cwd, ...options });
}

type Project = ReturnType<typeof project>;

/** The ids of the items that a command prints. */
async function idsOf(toolpacks: Project, ...args: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await toolpacks(...args, "--json");
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as { items: readonly { id: string }[] }).items.map(({ id }) => id);
}

function cellsOf(table: string): readonly (readonly string[])[] {
  return table
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
}

describe("the words of a tool's command", () => {
  test.each([
    [["issues", "list"]],
    [["issue", "list"]],
    [["issue_list"]],
    [["issues", "issue_list"]],
    [["call", "issue_list"]],
  ])("%j are issue_list", async (words) => {
    const toolpacks = project();
    await toolpacks("issues", "create", "Mend the roof");
    expect((await toolpacks(...words)).stdout).toContain("Mend the roof");
  });

  test("name tools of a pack with several prefixes, of the core, and of another server", async () => {
    const toolpacks = project();
    await toolpacks("memory", "remember", "Ducks swim.");
    expect((await toolpacks("memory", "trace", "timeline")).stdout).toContain("memory_remember");
    expect((await toolpacks("trace", "timeline")).stdout).toContain("memory_remember");
    expect((await toolpacks("tool", "search", "remember a fact")).stdout).toContain("memory_remember(");
    expect((await toolpacks("search", "text", "store", "--root", ".")).stdout).toBeDefined();
  });

  test.each([
    [["isues", "list"], "unknown command isues (did you mean issues?); toolpacks help lists the commands"],
    [
      ["issues", "lst"],
      "unknown command issues lst (did you mean issues list?); toolpacks issues --help lists the commands",
    ],
    [["zebra"], "unknown command zebra; toolpacks help lists the commands"],
  ])("%j are refused with the nearest name", async (words, message) => {
    expect(await project()(...words)).toEqual({ code: 2, stdout: "", stderr: `toolpacks: ${message}\n` });
  });

  test.each([
    [["fs", "read", "a.txt"], "/", "no root is given"],
    [["filesystem", "write", "a.txt"], folder(), "start with --write"],
  ])("%j say what keeps the tool from being called", async (words, cwd, reason) => {
    const called = await run(words, { cwd });
    expect(called).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(reason) });
  });

  test.each([
    [{ readOnly: true }, "start the server without --read-only"],
    [{ deny: ["issue_create"] }, "remove issue_create from deny"],
    [{ packs: { issues: false } }, 'Remove "issues": false from packs'],
  ])("with %j, create is refused and says what allows it", async (config, advice) => {
    expect(await project(config)("issues", "create", "One")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(advice),
    });
  });
});

describe("the flags of a tool's command", () => {
  test("are the fields of its schema, of objects in it, and of the first item of a list", async () => {
    const toolpacks = project();
    const create = async (...args: readonly string[]) => (await idsOf(toolpacks, "issues", "create", ...args))[0] ?? "";
    const a = await create("a", "--labels", "x", "--labels", "y", "--issue-type", "bug", "--assignee", "ann");
    const b = await create("--title", "b", "--labels", "x", "--priority=4");
    const c = await create("title=c", "description=about rockets");
    const d = await create("d", "--depends", c);
    await toolpacks("issues", "close", a, "--reason", "done");
    const list = (...flags: readonly string[]) => idsOf(toolpacks, "issues", "list", ...flags);
    expect(await list("--label", "x", "--status", "all", "--sort", "newest")).toEqual([b, a]);
    expect(await list("--where.label", "x")).toEqual([b]);
    expect(await list("where.label=y", "--status", "closed")).toEqual([a]);
    expect(await list("--issue_type", "bug", "--status", "open", "--status", "closed")).toEqual([a]);
    expect(await list("--priority", "3", "--priority", "4")).toEqual([b]);
    expect(await list('{"where":{"text":"rockets"}}')).toEqual([c]);
    expect(await list("--on", c)).toEqual([d]);
    expect((await toolpacks("issues", "show", d, b)).stdout).toMatch(/"id":".*"title":"b"|b/s);
  });

  test("that are true or false have a form with no-", async () => {
    const toolpacks = project();
    await toolpacks("memory", "remember", "The anvil is heavy.");
    expect((await toolpacks("memory", "recall", "anvil", "--history")).stdout).toContain("anvil");
    expect((await toolpacks("memory", "recall", "anvil", "--no-history")).stdout).toContain("anvil");
  });

  test.each([
    [["issues", "list", "--lable", "x"], 2, "(Did you mean --label?)"],
    [["issues", "list", "--sort", "size"], 2, "Allowed choices are priority, oldest"],
    [["issues", "comment", "a", "b", "c"], 2, 'unexpected "c"; --help shows the flags and values'],
    [["issues", "comment", "a"], 1, "text: required"],
    [["issues", "list", "--limit", "many"], 1, "limit: expected number"],
    [["issues", "show"], 1, "ids: required"],
  ])("%j is refused", async (args, code, message) => {
    expect(await project()(...args)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
  });

  test("take - as the text of stdin, or alone as all arguments in JSON", async () => {
    const withStdin = (stdin: string) => project({}, { stdin });
    const text = await withStdin("Ducks swim.\n")("memory", "remember", "--text", "-", "--tags", "birds");
    expect(text.stdout).toContain("Ducks swim.");
    expect((await withStdin('{"text":"Geese fly."}')("memory", "remember", "-")).stdout).toContain("Geese fly.");
    expect(await withStdin("[]")("memory", "remember", "-")).toMatchObject({ code: 2 });
  });

  test("are shown by its help, the fields before the flags of all tools", async () => {
    const toolpacks = project();
    const { code, stdout } = await toolpacks("issues", "create", "--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: toolpacks issues create \[options\] <title> \[key=value\.\.\.\]\n\nAdd issues/);
    expect(stdout).toMatch(/--labels <text> +tags \(repeatable\)[^]*What is mounted:[^]*--config/);
    expect((await run(["help", "issues", "create"])).stdout).toBe(stdout);
    const pack = await toolpacks("issues");
    expect(pack).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/ {2}list +List issues/) });
    expect((await toolpacks("issues", "--help")).stdout).toBe(pack.stderr);
  });
});

describe("the result of a tool's command", () => {
  test("is a table of its items, with prose last", async () => {
    const toolpacks = project();
    const [id] = await idsOf(toolpacks, "issues", "create", "Log in", "--labels", "web", "--labels", "ui");
    expect(cellsOf((await toolpacks("issues", "list")).stdout)).toEqual([
      ["id", "status", "priority", "issue_type", "labels", "title"],
      [id, "open", "2", "task", "web, ui", "Log in"],
    ]);
  });

  test("is the tool's text, if it has no items", async () => {
    const toolpacks = project();
    const [id = ""] = await idsOf(toolpacks, "issues", "create", "Log in");
    const call = await toolpacks("call", "issue_show", `ids=${id}`);
    expect(await toolpacks("issues", "show", id)).toEqual(call);
    expect(call.stdout).toContain("Log in");
  });

  test("is its structured value with --json, as that of call", async () => {
    const toolpacks = project();
    const [id = ""] = await idsOf(toolpacks, "issues", "create", "One");
    for (const [words, tool, args] of [
      [["list"], "issue_list", {}],
      [["show", id], "issue_show", { ids: [id] }],
    ] as const) {
      const { stdout } = await toolpacks("issues", ...words, "--json");
      const called = await toolpacks("call", tool, JSON.stringify(args), "--json");
      expect(JSON.parse(stdout)).toEqual(JSON.parse(called.stdout));
    }
  });

  test("has 50 items, or as many as --limit says by as many pages as that takes", async () => {
    const toolpacks = project();
    for (const count of [100, 100, 50]) {
      const issues = Array.from({ length: count }, (_, at) => ({ title: `Issue ${at}` }));
      await toolpacks("call", "issue_create", JSON.stringify({ issues }));
    }
    const few = await toolpacks("issues", "list");
    expect(cellsOf(few.stdout)).toHaveLength(51);
    expect(few.stderr).toBe("50 of 250; --limit 250 shows all\n");
    const many = await toolpacks("issues", "list", "--limit", "240");
    expect(new Set(cellsOf(many.stdout).map(([id]) => id)).size).toBe(241);
    expect(many.stderr).toBe("240 of 250; --limit 250 shows all\n");
    const all = JSON.parse((await toolpacks("issues", "list", "--limit", "999", "--json")).stdout) as object;
    expect(all).toMatchObject({ items: { length: 250 } });
    expect(all).not.toHaveProperty("cursor");
  });

  test("that is empty is the hint of the tool", async () => {
    const toolpacks = project();
    expect(await toolpacks("issues", "list")).toEqual({ code: 0, stdout: "", stderr: "nothing found\n" });
    const unusual = 'Unusual status "opne": did you mean open?\n';
    expect((await toolpacks("issues", "list", "--status", "opne")).stderr).toBe(unusual);
  });

  test("that failed is on stderr, with exit code 1, and leaves a trace like the call of a model", async () => {
    const toolpacks = project();
    const failed = await toolpacks("issues", "close", "none");
    expect(failed).toEqual({
      code: 1,
      stdout: "",
      stderr: 'not_found: id: there is no issue with the id "none"\nFind ids with issue_list.\n',
    });
    const json = await toolpacks("issues", "close", "none", "--json");
    expect(JSON.parse(json.stderr)).toMatchObject({ code: "not_found" });
    const { stdout } = await toolpacks("trace", "timeline", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ tool: "issue_close" }, { tool: "issue_close" }], total: 2 });
  });
});

describe("a workflow's run", () => {
  const workflows = {
    greet: {
      description: "Greets.",
      input: { name: "string", times: "integer?" },
      steps: [{ id: "all", step: "value", params: { input: "${input}" } }],
    },
    broken: {
      description: "Fails in its second step.",
      steps: [
        { id: "list", tool: "issue_list" },
        { id: "show", tool: "issue_show", params: { ids: ["none"] } },
      ],
    },
  };

  test("has progress on stderr and the result on stdout", async () => {
    const ran = await project({ workflows })("workflows", "run", "greet", "--input.name", "7", "input.times:=3");
    expect(ran).toMatchObject({ code: 0, stderr: "[1/1] all: ok\n" });
    expect(ran.stdout).toContain('{"input":{"name":"7","times":3}}');
  });

  test("that failed has exit code 1, and is resumed by its report", async () => {
    const toolpacks = project({ workflows });
    const failed = await toolpacks("workflows", "run", "broken", "--json");
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("[2/2] show: failed\n") });
    const { report, status } = JSON.parse(failed.stdout) as { report: string; status: string };
    expect(status).toBe("failed");
    expect((await toolpacks("workflows", "run", "--resume", report)).stderr).toContain("list: cached");
    expect((await toolpacks("workflows", "report", report)).stdout).toContain("broken");
  });

  test("that is interrupted is cancelled, with exit code 1", async () => {
    const interrupted = new AbortController();
    const slow = { steps: [{ id: "wait", step: "wait", params: { seconds: 60 } }] };
    const eternal = { steps: [{ id: "ask", tool: "issue_list" }, ...slow.steps] };
    const toolpacks = project({ workflows: { eternal } }, { signal: interrupted.signal });
    interrupted.abort("SIGINT");
    const { code, stderr } = await toolpacks("workflows", "run", "eternal");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/cancel/) });
  });
});
