import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { roughPack } from "../rough-pack.fixture.ts";
import { folder, run, runOnTerminal } from "../run-cli.fixture.ts";
import { version } from "../version.ts";

describe("a configuration error exits with code 2 and one line that names its place", () => {
  const cases: readonly (readonly [name: string, file: string, text: string, expected: RegExp])[] = [
    ["JSON", "toolpacks.config.json", '{ "surface": }', /toolpacks\.config\.json:1:14: not valid JSON/],
    [
      "JSONC with comments",
      "toolpacks.config.jsonc",
      '// x\n{ "expse": [] }',
      /toolpacks\.config\.jsonc:2:3: expse: unknown field, did you mean expose\?/,
    ],
    ["YAML", "toolpacks.config.yaml", "expose: [core\nroots: x", /toolpacks\.config\.yaml:2:\d+: not valid YAML/],
    ["TOML", "toolpacks.config.toml", "expose = [", /toolpacks\.config\.toml:\d+:\d+: not valid TOML/],
    [
      "a wrong value",
      "toolpacks.config.yaml",
      "surface: sideways",
      /surface: expected one of "direct", "discovery", "two-tool", "auto"/,
    ],
    [
      "a wrong pack option",
      "toolpacks.config.json",
      '{ "roots": ["."], "packs": { "filesystem": { "wirte": true } } }',
      /: packs\.filesystem\.wirte: unknown field, did you mean write\?$/m,
    ],
    ["a missing root", "toolpacks.config.json", '{ "roots": ["./nowhere"] }', /roots: expected an existing directory/],
    [
      "an unknown facet",
      "toolpacks.config.json",
      '{ "expose": ["isues"] }',
      /expose: no facet is named isues; there are core/,
    ],
    [
      "an unknown denial",
      "toolpacks.config.json",
      '{ "deny": ["isues"] }',
      /deny: isues is neither a facet nor a tool/,
    ],
    [
      "an option of a pack that has none",
      "toolpacks.config.json",
      '{ "packs": { "planner": { "keep": 3 } } }',
      /: packs\.planner\.keep: unknown field/,
    ],
    [
      "a pack that is none",
      "toolpacks.config.json",
      '{ "packs": { "./toolpacks.config.json": {} } }',
      /packs\.\.\/toolpacks\.config\.json: /,
    ],
  ];
  test.for(cases)("%s", async ([, file, text, expected]) => {
    const { code, stdout, stderr } = await run([], { cwd: folder({ [file]: text }) });
    expect(stderr).toMatch(expected);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test.each([
    [["--expose", "isues"], {}, /^toolpacks: --expose: no facet is named isues; there are core/],
    [[], { TOOLPACKS_EXPOSE: "isues" }, /^toolpacks: \$TOOLPACKS_EXPOSE: no facet is named isues/],
    [
      ["--facet", "isues"],
      {},
      /^toolpacks: --facet: no facet is named isues; there are filesystem, search, canvas, issues, memory, planner, prompts, tracker-sync, undo, workflows, store/,
    ],
    [["--facet", "filesystem"], {}, /cannot be mounted: no root is given.*--root <dir>/],
    [["--root", "nowhere"], {}, /^toolpacks: --root: expected an existing directory/],
    [["--config", "nope.json"], {}, /nope\.json: cannot be read/],
    [["--surface", "sideways"], {}, /Allowed choices are direct, discovery, two-tool, auto/],
    [["--nope"], {}, /unknown option '--nope'/],
    [["--store", ""], {}, /^toolpacks: --store: expected a file's path or postgres:\/\/.*, received nothing/],
    [
      ["--store", "mysql://u:secret@h/db"],
      {},
      /^toolpacks: --store: expected a file's path or .*, received mysql:\/\/…\n$/,
    ],
    [
      [],
      { TOOLPACKS_STORE: "postgres://u:se/cret@h/db" },
      /^toolpacks: \$TOOLPACKS_STORE: not a PostgreSQL address; .*%2F/,
    ],
    [["--store", "POSTGRES://u:%ff@h/db"], {}, /^toolpacks: --store: not a PostgreSQL address/],
    [["--workspace", ""], {}, /^toolpacks: --workspace: expected 1 to 100 characters/],
    [["export", "--workspace", "w"], {}, /^toolpacks: --workspace: requires --graph/],
    [["import", "-", "--workspace", "w"], {}, /^toolpacks: --workspace: requires --graph or --transcript/],
    [["import", "-", "--root", "."], {}, /^toolpacks: --root: requires --graph or --transcript/],
    [["import", "-", "--graph", "--transcript"], {}, /^toolpacks: --transcript: not allowed with --graph/],
    [["import-clients", "--apply", "--undo"], {}, /^toolpacks: --apply and --undo: expected one of them/],
    [["relay", "--header", "A: b", "--", "x"], {}, /^toolpacks: relay: --header requires --url/],
    [["export", "--store", "nowhere.db"], {}, /^toolpacks: --store: there is no store at .*nowhere\.db\n$/],
    [["backup", "copy.db"], { TOOLPACKS_STORE: "nowhere.db" }, /^toolpacks: \$TOOLPACKS_STORE: there is no store at/],
  ] as const)("flags %j, environment %j", async (args, env, expected) => {
    const { code, stdout, stderr } = await run(args, { env });
    expect(stderr).toMatch(expected);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

test("a project stores records, whatever the name of its folder", async () => {
  const cwd = folder();
  for (const name of ["p".repeat(101), "a\nb", "😀", "  "]) {
    mkdirSync(path.join(cwd, name, ".git"), { recursive: true });
    const flags = ["--root", name, "--store", "store.db"];
    const put = await run(["call", "store_put", '{"kind":"note","record":{"text":"a"}}', ...flags], { cwd });
    expect(put).toMatchObject({ code: 0, stderr: "" });
    expect((await run(["call", "store_query", '{"kind":"note"}', ...flags], { cwd })).stdout).not.toContain("of 2");
  }
});

describe("precedence is flag, environment, file, default", () => {
  const file = { "toolpacks.config.toml": 'expose = ["filesystem"]\nroots = ["."]\n' };
  test.for([
    [[], {}, {}, "exposed: core (default)"],
    [[], {}, file, "exposed: filesystem (file, "],
    [[], { TOOLPACKS_EXPOSE: "core,filesystem" }, file, "exposed: core, filesystem (environment, $TOOLPACKS_EXPOSE)"],
    [["--expose", "core"], { TOOLPACKS_EXPOSE: "filesystem" }, file, "exposed: core (flag, --expose)"],
  ] as const)("flags %j, environment %j, file %j", async ([args, env, files, expected]) => {
    const { stderr } = await run(args, { cwd: folder(files), env });
    expect(stderr).toContain(expected);
  });

  test("a config file is found upward, and its paths are relative to it", async () => {
    const cwd = folder({ "toolpacks.config.yaml": "roots: [.]\n", "a.txt": "found" });
    const { stdout } = await run([
      "call",
      "fs_read",
      '{"path":"a.txt"}',
      "--config",
      path.join(cwd, "toolpacks.config.yaml"),
    ]);
    expect(stdout).toBe("found\n");
  });
});

test("the banner says how to add a root if there is none", async () => {
  const { code, stderr } = await run([]);
  expect(code).toBe(0);
  expect(stderr).toContain(
    "filesystem, search are left out: no root is given, so no file is reachable. Add one: --root <dir>",
  );
});

test.each([
  [["docter"], "unknown command docter (did you mean doctor?); toolpacks help lists the commands"],
  [["help", "docter"], "unknown command docter (did you mean doctor?); toolpacks help lists the commands"],
  [["help", "tokens", "lst"], "unknown command lst (did you mean list?); toolpacks help tokens lists the commands"],
  [["workspaces", "lst"], "unknown command lst (did you mean list?); toolpacks help workspaces lists the commands"],
])("%j is refused with the nearest command", async (args, message) => {
  expect(await run(args)).toMatchObject({ code: 2, stderr: `toolpacks: ${message}\n` });
});

test("version, -v and --version print the version, and help prints what --help does", async () => {
  for (const args of [["version"], ["-v"], ["--version"]]) {
    expect(await run(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  }
  expect(await run(["help"])).toEqual(await run(["--help"]));
  expect(await run(["help", "tokens", "add"])).toEqual(await run(["tokens", "add", "--help"]));
});

describe("toolpacks on a terminal", () => {
  test("says once what it waits for and how to set up a client", async () => {
    const output = await runOnTerminal([], { until: "surface; mounted" });
    expect(output.match(/waits on stdin/g)).toHaveLength(1);
    expect(output).toContain("Set up a client: toolpacks init.");
  });
});

test("toolpacks says nothing of a terminal when a client started it", async () => {
  expect((await run([])).stderr).not.toContain("waits on stdin");
});

describe("toolpacks call", () => {
  test("prints a result, or a failure on stderr with code 1", async () => {
    const cwd = folder({ "a.txt": "text" });
    expect(await run(["call", "fs_read", '{"path":"a.txt"}', "--root", "."], { cwd })).toMatchObject({
      code: 0,
      stdout: "text\n",
    });
    const json = await run(["call", "fs_stat", '{"path":"a.txt"}', "--root", ".", "--json"], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({ path: "a.txt", size: 4 });
    expect(await run(["call", "fs_read", '{"path":"b.txt"}', "--root", "."], { cwd })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^not_found: b\.txt/) as string,
    });
    expect(await run(["call", "fs_read", "{path", "--root", "."], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/expected JSON/) as string,
    });
  });

  test("refuses mutating tools with --read-only, and explains tools of packs that are not mounted", async () => {
    const write = ["call", "fs_write", '{"path":"a","content":""}'];
    const cwd = folder({ "toolpacks.config.json": '{"write":true}' });
    expect((await run([...write, "--root", ".", "--read-only"], { cwd })).stderr).toContain("this server is read-only");
    expect((await run(write, { cwd: "/" })).stderr).toMatch(
      /^denied: fs_write cannot be called: the filesystem pack is not mounted: no root/,
    );
  });

  test("calls a pack that the config file imports", async () => {
    const cwd = folder({ "rough.mjs": roughPack, "toolpacks.config.yaml": 'packs: { "./rough.mjs": {} }' });
    expect((await run(["call", "rough_print"], { cwd })).stdout).toContain('{"printed":true}');
  });
});

describe("toolpacks tools, budget, doctor and config schema", () => {
  test("tools lists each tool with its facet, whether it mutates, and tokens", async () => {
    const { stdout } = await run(["tools", "--json", "--root", ".", "--write"]);
    const rows = JSON.parse(stdout) as { facet: string; tool: string; mutates: boolean; tokens: number }[];
    expect(rows).toHaveLength(62);
    expect(rows.find(({ tool }) => tool === "fs_write")).toMatchObject({ facet: "filesystem", mutates: true });
    expect((await run(["tools", "--root", "."])).stdout).toMatch(/^filesystem +fs_read +\d+$/m);
  });

  test("each pack is within its budget", async () => {
    const { code, stdout } = await run(["budget", "--check", "--json", "--root", ".", "--write"]);
    const { packs } = JSON.parse(stdout) as {
      packs: { tool: string; tokens: number; budget: number }[];
    };
    expect(code).toBe(0);
    expect(packs.map(({ tool }) => tool)).toEqual([
      "core",
      "filesystem",
      "search",
      "issues",
      "memory",
      "planner",
      "undo",
      "store",
      "workflows",
      "relay",
    ]);
    for (const { tokens, budget } of packs) {
      expect(tokens).toBeLessThanOrEqual(budget);
    }
  });

  test("budget --check exits with code 1 when a pack exceeds its budget", async () => {
    const cwd = folder({
      "rough.mjs": roughPack.replace("budget: 500", "budget: 5"),
      "toolpacks.config.yaml": 'packs: { "./rough.mjs": {} }',
    });
    expect(await run(["budget", "--check"], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^rough +\d+ +5 .*OVER$/m) as string,
    });
  });

  test("doctor prints the config, the source of each setting, and what is left out", async () => {
    const cwd = folder({ "toolpacks.config.json": '{ "deny": ["fs_list"], "roots": ["."] }' });
    const { code, stdout } = await run(["doctor", "--require", "fs_read"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(`config: ${path.join(cwd, "toolpacks.config.json")}`);
    expect(stdout).toContain('deny: ["fs_list"] (');
    expect(stdout).toContain("mounted: filesystem, 2 tools");
    expect((await run(["doctor"], { cwd: "/" })).stdout).toContain("left out: the pack filesystem");
  });

  test("doctor exits with code 1 when a required tool cannot be called or the config is wrong", async () => {
    expect(await run(["doctor", "--require", "fs_read,task_ready"])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ required task_ready: not_found/) as string,
    });
    const cwd = folder({ "toolpacks.config.json": "{" });
    expect(await run(["doctor"], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ .*not valid JSON/) as string,
    });
  });

  test("config schema prints a JSON Schema with every key", async () => {
    const { stdout } = await run(["config", "schema"]);
    const schema = JSON.parse(stdout) as { properties: Record<string, { description?: string }> };
    expect(Object.keys(schema.properties)).toContain("expose");
    expect(Object.values(schema.properties).filter(({ description }) => description === undefined)).toEqual([]);
  });
});
