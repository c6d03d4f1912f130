import { closeSync, existsSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startModelEndpoint, type AskedModel, type ModelEndpoint, type ScriptedAnswer } from "@toolpacks/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { readCaseFile } from "../case-file.ts";
import { handle, modelOf, rightScripts } from "../scripts.fixture.ts";
import { folder, run, toolpacks } from "./command.fixture.ts";
import { startHttpServer } from "./http-server.fixture.ts";

const examples = fileURLToPath(new URL("../../../../examples/cases/", import.meta.url));
const allCases = path.join(examples, "*.md");
const prompts = Object.entries(rightScripts).map(([id, script]) => {
  const file = path.join(examples, `${id}.md`);
  return [readCaseFile(readFileSync(file, "utf8"), file).prompt, script] as const;
});

/** The whole stderr of a run: the host, and the file with its address. */
const onlyHost = /^prompts go to (127\.0\.0\.1|localhost):\d+, an address that \/.*\/\.env sets\n$/;

const key = "sk-never-to-be-seen/1";
let endpoint: ModelEndpoint | undefined;
afterEach(() => endpoint?.close());

/** Runs the command against a scripted model, and checks that the output does not contain the key. */
async function cases(script: readonly ScriptedAnswer[], args: readonly string[], env: Record<string, string> = {}) {
  await endpoint?.close();
  endpoint = await startModelEndpoint(script);
  const variables = [`LOCAL_BASE_URL=${endpoint.baseUrl}`, "LOCAL_MODEL=of-the-file", `LOCAL_API_KEY=${key}`];
  const cwd = folder({ "hello.md": "Say hello.\n", ".env": `${variables.join("\n")}\n` });
  const profile = { LOCAL_TEMPERATURE: "0.2", ...env };
  const finished = await run(["--profile", "local", "--max-retries", "0", ...args], { cwd, env: profile });
  expect(finished.stdout + finished.stderr).not.toContain(key);
  return finished;
}

describe("toolpacks-cases", () => {
  test("runs all example cases, and shows their tokens and calls", async () => {
    const { code, stdout, stderr } = await cases([modelOf(prompts)], [allCases]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(onlyHost)]);
    const lines = stdout.split("\n");
    expect(lines.filter((line) => line.startsWith("PASS "))).toHaveLength(6);
    expect(lines.find((line) => line.startsWith("PROFILE"))?.split(/ {2,}/)).toEqual([
      "PROFILE",
      "MODEL",
      "CASE",
      "FEW-SHOT",
      "RESULT",
      "TOKENS IN",
      "TOKENS OUT",
      "CALLS",
    ]);
    expect(stdout).toMatch(/^local +of-the-file +copy-each +no +PASS +\d{4} +\d{3} +6$/m);
    expect(lines.at(-2)).toBe("6 passed");
  });

  test("sends no key of the environment to an address in the folder's .env", async () => {
    endpoint = await startModelEndpoint(["Hello."]);
    const variables = [`TOOLPACKS_MODEL_URL=${endpoint.baseUrl}`, "TOOLPACKS_MODEL=m"];
    const cwd = folder({ "hello.md": "Say hello.\n", ".env": variables.join("\n") });
    const { code, stderr } = await run(["hello.md"], { cwd, env: { TOOLPACKS_MODEL_KEY: key } });
    expect(code).toBe(2);
    expect(stderr).toContain("the address is set in .env and the key in the environment");
    expect(endpoint.asked).toEqual([]);
  });

  test("refuses a .env that is a FIFO at once", async () => {
    const cwd = folder({ "hello.md": "Say hello.\n" });
    linkSync(process.env["TEST_FIFO"] ?? "", path.join(cwd, ".env"));
    const { code, stderr } = await run(["hello.md"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(".env: cannot be read (not a regular file)");
  });

  test("reads profiles from the environment and .env, and flags override them", async () => {
    await cases(["Hello."], ["hello.md"]);
    expect(endpoint?.asked).toMatchObject([{ model: "of-the-file", key: `Bearer ${key}`, temperature: 0.2 }]);
    await cases(["Hello."], ["hello.md", "--model", "a", "--model", "b", "--temperature", "0"], { LOCAL_MODEL: "c" });
    expect(endpoint?.asked).toMatchObject([
      { model: "a", temperature: 0 },
      { model: "b", temperature: 0 },
    ]);
  });

  test("exits 1 when a case failed, and names rules and calls", async () => {
    const script = [{ calls: [{ name: "fetch_page", args: { url: "https://a.example/" } }] }, "500 metres."];
    const { code, stdout } = await cases(script, [path.join(examples, "answer-directly.md")]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "FAIL answer-directly (of-the-file)\n  unlisted_tool: fetch_page (call 1): it is not among",
    );
    expect(stdout).toMatch(/^ {2}1\. fetch_page \{"url":"https:\/\/a\.example\/"\} → relay:\/\/[a-z2-7]{20}$/m);
    expect(stdout.trim().split("\n").at(-1)).toBe("1 failed");
  });

  test("runs a prompt without front matter, and prints the answer", async () => {
    const { code, stdout } = await cases(["Hello to you."], ["hello.md"]);
    expect(code).toBe(0);
    expect(stdout).toContain("RAN hello (of-the-file)\n  Hello to you.\n");
  });

  test("prints only JSON with --json, which includes the conversation with --dump-context", async () => {
    const file = path.join(examples, "open-in-part.md");
    const { stdout } = await cases([modelOf(prompts)], [file, "--json", "--dump-context", "--few-shot", "--zero-shot"]);
    const { boxing, runs } = JSON.parse(stdout) as { boxing: string; runs: { context: { role: string }[] }[] };
    expect(boxing).toBe("opaque");
    const calls = [
      { tool: "fetch_page", turn: 1 },
      { tool: "relay_read", turn: 2 },
    ];
    const about = { profile: "local", case: "open-in-part", status: "passed", breaches: [], turns: 3, calls };
    expect(runs).toMatchObject([
      { ...about, fewShot: false, tokens: { isEstimated: false } },
      { ...about, fewShot: true },
    ]);
    expect(runs.map(({ context }) => context[0]?.role)).toEqual(["user", "system"]);
    expect(endpoint?.asked[3]?.messages[0]?.content).toContain("A long result comes as a handle");
  });

  test("redacts the key in texts of a model or endpoint", async () => {
    const repeatKey: ScriptedAnswer = (asked) => `Your header is ${asked.key}.`;
    const { stdout, stderr } = await cases([repeatKey], ["hello.md", "--dump-context", "--print-tools"]);
    expect(stdout).toContain("Your header is Bearer [key].");
    expect(stderr).toContain("Your header is Bearer [key].");
    const json = await cases([repeatKey], ["hello.md", "--dump-context", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ runs: [{ answer: "Your header is Bearer [key]." }] });
  });

  test("prints the tools as the model gets them", async () => {
    const { stderr } = await cases(["Hello."], ["hello.md", "--print-tools"]);
    expect(stderr).toMatch(/^5 tools, \d{3} tokens\n/m);
    expect(stderr).toMatch(/^relay_read \(\d+\): /m);
    const whole = await cases(["Hello."], ["hello.md", "--print-tools", "--boxing", "off"]);
    expect(whole.stderr).toMatch(/^4 tools, /m);
  });

  test("uses colours in a pipe only with $FORCE_COLOR", async () => {
    const escape = "\u001B[32m";
    expect((await cases(["Hello."], ["hello.md"])).stdout).not.toContain(escape);
    expect((await cases(["Hello."], ["hello.md"], { FORCE_COLOR: "1" })).stdout).toContain(escape);
    expect((await cases(["Hello."], ["hello.md"], { FORCE_COLOR: "1", NO_COLOR: "1" })).stdout).not.toContain(escape);
  });
});

const longText = "line of a long text\n".repeat(2_000);

describe("toolpacks-cases with a server under test", () => {
  /** A case that copies a file through its handle. It works with every server that has the two tools. */
  const copies = [
    "---",
    "tool_calls:",
    "  - { tool_name: fs_read, opaque_id_result: true }",
    "  - { tool_name: fs_write, opaque_id_input: true, args: { path: copy.txt } }",
    "---",
    "",
    "Copy long.txt to copy.txt.",
  ].join("\n");
  const script: readonly ScriptedAnswer[] = [
    { calls: [{ name: "fs_read", args: { path: "long.txt" } }] },
    (asked) => ({ calls: [{ name: "fs_write", args: { path: "copy.txt", content: handle(asked, 0) } }] }),
    "Copied.",
  ];

  const serverArgs = (root: string) => [
    toolpacks,
    "--facet",
    "filesystem",
    "--root",
    root,
    "--write",
    "--log-level",
    "silent",
  ];

  async function expectCopy(root: string, flags: readonly string[]): Promise<void> {
    rmSync(path.join(root, "copy.txt"), { force: true });
    const { code, stdout, stderr } = await cases(script, [path.join(root, "case.md"), ...flags]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(onlyHost)]);
    expect(stdout).toContain("PASS case (of-the-file)");
    expect(readFileSync(path.join(root, "copy.txt"), "utf8")).toBe(longText);
  }

  test("starts the command after --, and passes its arguments unchanged", async () => {
    const root = path.join(folder(), "a folder --json $HOME");
    mkdirSync(root);
    writeFileSync(path.join(root, "long.txt"), longText);
    writeFileSync(path.join(root, "case.md"), copies);
    await expectCopy(root, ["--", process.execPath, ...serverArgs(root)]);
  });

  test("starts a server of a config file in each format", async () => {
    const root = folder({ "long.txt": longText, "case.md": copies });
    const files = { command: process.execPath, args: [...serverArgs("${COPY_ROOT}")] };
    const texts = {
      "a.jsonc": `{ /* of a client */ "mcpServers": { "files": ${JSON.stringify(files)}, }, }`,
      "a.yaml": `mcpServers:\n  files: ${JSON.stringify(files)}\n`,
      "a.toml": `[mcpServers.files]\ncommand = ${JSON.stringify(files.command)}\nargs = ${JSON.stringify(files.args)}\n`,
    };
    const at = folder(texts);
    process.env["COPY_ROOT"] = root;
    for (const name of Object.keys(texts)) await expectCopy(root, ["--config", path.join(at, name)]);
    delete process.env["COPY_ROOT"];
  });

  test("uses the server that --server names if the config file has several", async () => {
    const root = folder({ "long.txt": longText, "case.md": copies });
    const mcpServers = { files: { command: process.execPath, args: serverArgs(root) }, other: { command: "none" } };
    const config = path.join(folder({ "servers.json": JSON.stringify({ mcpServers }) }), "servers.json");
    await expectCopy(root, ["--config", config, "--server", "files"]);
    for (const flags of [[], ["--server", "file"]]) {
      const { code, stdout, stderr } = await cases(script, [path.join(root, "case.md"), "--config", config, ...flags]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe(`toolpacks-cases: --server: expected one of ${config}: files, other\n`);
    }
  });

  test("connects to --url", async () => {
    const called: unknown[] = [];
    const server = await startHttpServer((call) => {
      called.push(call);
      return "Sunny.";
    });
    const weather: readonly ScriptedAnswer[] = [
      { calls: [{ name: "weather", args: { city: "Oslo" } }] },
      "It is sunny.",
    ];
    const { code, stdout } = await cases(weather, ["hello.md", "--url", server.url]);
    await server.close();
    expect([code, called]).toEqual([0, [{ name: "weather", arguments: { city: "Oslo" } }]]);
    expect(stdout).toContain("RAN hello (of-the-file)\n  It is sunny.\n");
  });

  test("keeps the model's key from the server under test", async () => {
    const file = path.join(folder(), "environment.json");
    const script = `require("node:fs").writeFileSync(process.argv[1], JSON.stringify(process.env))`;
    await cases(["Hello."], ["hello.md", "--", process.execPath, "-e", script, file], { LOCAL_API_KEY: key });
    const environment = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    expect(Object.keys(environment)).toContain("PATH");
    expect(JSON.stringify(environment)).not.toContain(key);
  });
});

test("a server with its own relay_read gets no second relay, and its handles are recognized", async () => {
  const front = [
    "tool_calls:",
    "  - { tool_name: tool_read, opaque_id_result: true }",
    "  - { tool_name: tool_invoke, opaque_id_input: true, opaque_id_result: false }",
  ];
  const root = folder({ "long.txt": longText, "case.md": `---\n${front.join("\n")}\n---\n\nCopy it.\n` });
  const store = path.join(root, "store.db");
  const server = [toolpacks, "--root", root, "--store", store, "--write", "--log-level", "silent"];
  const args = (asked: AskedModel) => ({ path: "copy.txt", content: handle(asked, 0) });
  const script: readonly ScriptedAnswer[] = [
    { calls: [{ name: "tool_read", args: { name: "fs_read", args: { path: "long.txt" } } }] },
    (asked) => ({ calls: [{ name: "tool_invoke", args: { name: "fs_write", args: args(asked) } }] }),
    "Copied.",
  ];
  const { code, stdout } = await cases(script, [path.join(root, "case.md"), "--", process.execPath, ...server]);
  expect(stdout).toContain("PASS case");
  expect(code).toBe(0);
  expect(endpoint?.asked[0]?.tools.filter(({ name }) => name.startsWith("relay_"))).toHaveLength(1);
  expect(readFileSync(path.join(root, "copy.txt"), "utf8")).toBe(longText);
});

test.skipIf(!existsSync("/dev/full"))("toolpacks-cases fails when stdout is on a full disk", async () => {
  const stdoutDescriptor = openSync("/dev/full", "w");
  const finished = await run(["--help"], { stdoutDescriptor });
  closeSync(stdoutDescriptor);
  const stderr = "toolpacks-cases: unavailable: stdout: the disk is full; the output is not complete\n";
  expect(finished).toEqual({ code: 1, stdout: "", stderr });
});

describe("toolpacks-cases exits 2 with one line", () => {
  const file = path.join(examples, "pass-along.md");

  test.each([
    [
      "a missing command",
      ["hello.md", "--", "no-such-command"],
      "unavailable: server cannot be started: command not found",
    ],
    ["no command after --", ["hello.md", "--"], "--: expected a command after it, such as npx toolpacks serve"],
    ["an invalid address", ["hello.md", "--url", "localhost"], "--url: expected an address: http://localhost:3000/mcp"],
    [
      "two servers under test",
      ["hello.md", "--url", "http://localhost/", "--", "node"],
      "expected one server under test: --url, --config, or a command after --",
    ],
    ["a server name without a config file", ["hello.md", "--server", "files"], "--server: expected --config <file>"],
    ["a missing config file", ["hello.md", "--config", "none.json"], "none.json: cannot be read (ENOENT"],
    [
      "a file of another format",
      ["hello.md", "--config", "hello.md"],
      "hello.md: expected a .jsonc, .json, .yaml or .toml file",
    ],
    ["no file", ["none/*.md"], "none/*.md: no matching file (wildcards follow no links)"],
    ["a folder", ["."], ".: expected files, such as *.md"],
    [
      "examples of handles without handles",
      ["hello.md", "--few-shot", "--boxing", "off"],
      "--few-shot: shows how handles are used",
    ],
    ["an unknown profile", ["hello.md", "--profile", "other"], "profile other: $OTHER_BASE_URL is not set"],
  ])("for %s, before the first request to a model", async (_, args, message) => {
    const { code, stdout, stderr } = await cases(["Hello."], args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`toolpacks-cases: ${message}`);
    expect(endpoint?.asked).toEqual([]);
  });

  test.each([
    ["bad.json", '{"mcpServers": {\n"a" 1}}', ":2:5: not valid JSON (ColonExpected)"],
    ["bad.yaml", "mcpServers: {", "not valid YAML"],
    ["bad.toml", "a = ", "not valid TOML"],
    ["proto.json", '{"mcpServers": {"a": {"__proto__": {"command": "x"}}}}', "__proto__: this key is not allowed"],
    ["list.json", '{"mcpServers": ["a"]}', "mcpServers: expected"],
    ["none.json", '{"packs": {}}', "expected a server under mcpServers"],
    ["neither.json", '{"mcpServers": {"a": {}}}', "mcpServers.a: it has neither command nor url"],
    ["wrong.json", '{"mcpServers": {"a": {"command": "x", "concurrency": 0}}}', "mcpServers.a: concurrency: "],
  ])("for the config file %s, with its name and the problem", async (name, text, problem) => {
    const config = path.join(folder({ [name]: text }), name);
    const { code, stderr } = await cases(["Hello."], ["hello.md", "--config", config]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^toolpacks-cases: [^\n]+\n$/);
    expect(stderr).toContain(config);
    expect(stderr).toContain(problem);
  });

  test("for an invalid case file, with its name and the field", async () => {
    const cwd = folder({ "bad.md": "---\ntool_calls: [{ tool: a }]\n---\n\nDo it.\n" });
    const { code, stderr } = await cases(["Hello."], [file, path.join(cwd, "bad.md")]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "bad.md: tool_calls[0].tool_name: required, expected string; tool_calls[0].tool: unknown field",
    );
    expect(endpoint?.asked).toEqual([]);
  });

  test.each([
    ["refuses the key", [401], "the endpoint of model of-the-file answered 401: the profile's key is missing or wrong"],
    [
      "sends an invalid response",
      [{ body: "<html>" }],
      "the endpoint of model of-the-file answered something that is not a chat completion",
    ],
  ] satisfies [string, ScriptedAnswer[], string][])("for an endpoint that %s", async (_, script, message) => {
    const { code, stdout } = await cases(script, [file]);
    expect(code).toBe(2);
    expect(stdout).toContain(`NOT RUN pass-along (of-the-file)\n  ${message}\n`);
  });
});
