import { spawn, execFile } from "node:child_process";
import { existsSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters, promisify } from "node:util";
import { describe, expect, test, afterAll, beforeAll, onTestFinished } from "vitest";
import { cli } from "../command.process.fixture.ts";
import { homeWith, runAsProgram } from "./import-home.fixture.ts";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { clientSamples } from "../../../../packages/client-config/src/client-samples.fixture.ts";
import { scriptedCommand, startScriptedModel, type ScriptedModel } from "../commands/real-transcripts.fixture.ts";
import { hookHome } from "./hooks.fixture.ts";
import { folder, run } from "../run-cli.fixture.ts";

const script = "/usr/bin/script";
const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;
const cursor = ".cursor/mcp.json";
const enter = "\r";

/** Runs `init` on a terminal, and answers each question when it appears. */
async function answer(
  home: ReturnType<typeof homeWith>,
  answers: readonly (readonly [question: string, keys: string])[],
) {
  // The terminal of `script` has no size, and prompts wrap each character.
  const command = `/usr/bin/stty cols 120 rows 40; ${process.execPath} ${cli} init`;
  const child = spawn(script, ["-qec", command, "/dev/null"], {
    cwd: home.project,
    env: { ...process.env, ...home.env, PATH: home.project, TERM: "xterm", SHELL: "/bin/sh" },
  });
  let output = "";
  const left = [...answers];
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    const [next] = left;
    if (next === undefined || !stripVTControlCharacters(output).includes(next[0])) return;
    left.shift();
    // The prompt reads keys once it has drawn itself.
    setTimeout(() => child.stdin.write(next[1]), 100);
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  return { code, output: stripVTControlCharacters(output), unanswered: left };
}

describe.skipIf(!existsSync(script))("init on a terminal", { timeout: 30_000 }, () => {
  test("asks for clients, folders, packs and writing, shows the diff, and writes after a yes", async () => {
    const home = homeWith(() => ({ [cursor]: { mcpServers: {} } }));
    const { code, output, unanswered } = await answer(home, [
      ["Clients to set up", enter],
      ["Folders whose files", enter],
      ["Packs to serve", ` ${enter}`],
      ["May the tools change files?", "y"],
      ["Write these changes?", "y"],
    ]);
    expect(unanswered).toEqual([]);
    expect(output).toMatch(/toolpacks answers with [^]*Memory finds more [^]*: npm install .*meaning-minilm/);
    expect(code).toBe(0);
    expect(home.servers(cursor)["toolpacks"]?.args?.slice(1)).toEqual([
      "--root",
      home.project,
      "--write",
      "--deny",
      "filesystem",
    ]);
  });

  test.skipIf(!isCampaign).each([
    [
      "a no",
      [
        ["Clients to set up", enter],
        ["Folders", enter],
        ["Packs", enter],
        ["May the", "n"],
        ["Write these", "n"],
      ],
      0,
    ],
    ["Ctrl+C", [["Clients to set up", "\u0003"]], 1],
  ] as const)("changes nothing after %s", async (_, answers, expected) => {
    const home = homeWith(() => ({ [cursor]: { mcpServers: {} } }));
    const { code, output } = await answer(home, answers);
    expect(output.toLowerCase()).toContain("nothing was changed");
    expect(code).toBe(expected);
    expect(home.servers(cursor)).toEqual({});
    expect(existsSync(path.join(home.directory, "data/toolpacks/client-changes.json"))).toBe(false);
  });
});

describe.skipIf(process.platform !== "linux")("init --yes", { timeout: 30_000 }, () => {
  test.skipIf(!isCampaign)("starts each entry once, and --undo removes it", async () => {
    const home = homeWith(() => ({ [cursor]: { mcpServers: {} }, ".codex/config.toml": "a = 1\n" }));
    const { code, stdout } = await home.toolpacks("init", "cursor", "codex", "--yes");
    expect(stdout).toMatch(/Cursor: toolpacks answers with [1-9]\d* tools\nCodex: toolpacks answers with /);
    expect(code).toBe(0);
    expect((await home.toolpacks("init", "--undo")).code).toBe(0);
    expect(home.read(".codex/config.toml")).toBe("a = 1\n");
  });

  test("reports an entry whose server does not start", async () => {
    const own = { command: process.execPath, args: [cli], env: { TOOLPACKS_SURFACE: "x" } };
    const home = homeWith(() => ({ [cursor]: { mcpServers: { own } } }));
    const { code, stderr } = await home.toolpacks("init", "cursor", "--yes");
    expect(code).toBe(1);
    expect(stderr).toMatch(/Cursor: own does not answer: .+/);
  });
});

test.skipIf(process.platform !== "linux")("doctor starts each entry that init wrote with its own flags", async () => {
  const entry = (...args: readonly string[]) => ({ command: process.execPath, args: [cli, ...args] });
  const toolpacks = entry("--root", ".", "--facet", "filesystem");
  const home = homeWith((directory) => ({
    [cursor]: { mcpServers: { toolpacks: { ...toolpacks, cwd: path.join(directory, "project") } } },
    ".gemini/settings.json": { mcpServers: { mine: entry("--root", "/no/such/folder") } },
    ".codeium/windsurf/mcp_config.json": { mcpServers: { off: { ...toolpacks, disabled: true } } },
    ".codex/config.toml": "[mcp_servers\n",
  }));
  const { code, stdout } = await runAsProgram(["doctor"], { cwd: home.directory, env: home.env });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^✓ client: Cursor: toolpacks answers with [1-9]\d* tools, roots: \.$/m);
  expect(stdout).toMatch(/^✗ Gemini CLI: mine: .*\/no\/such\/folder/m);
  expect(stdout).toMatch(/^✗ Codex: .*config\.toml/m);
  expect(stdout).not.toMatch(/Windsurf|no root is given/);
});

/** The folder with the programs of the clients, such as `node_modules/.bin`; without it, these tests are skipped. */
const programs = process.env["CLIENTS_BIN"];

describe.skipIf(programs === undefined)("init, with real clients", { timeout: 120_000 }, () => {
  test.each([
    ["claude-code", "claude", /toolpacks: .*Connected/],
    ["gemini", "gemini", /toolpacks: .*Connected/],
    ["codex", "codex", /toolpacks .* enabled/],
    ["copilot", "copilot", /toolpacks/],
  ])("%s lists the entry, and --undo removes it", async (id, program, expected) => {
    // The client would report the other servers of the sample, which are not installed.
    const sample = clientSamples.find((one) => one.id === id);
    const { toolpacks, env, read, project } = homeWith(() => ({
      [sample?.file ?? ""]: id === "codex" ? "# mine\n" : "{}\n",
    }));
    expect((await toolpacks("init", id, "--yes")).code).toBe(0);
    const file = path.join(programs ?? "", program);
    const {
      CLAUDE_CONFIG_DIR: _claude,
      CODEX_HOME: _codex,
      GEMINI_CLI_HOME: _gemini,
      ...others
    } = { ...process.env, ...env };
    const listed = await promisify(execFile)(file, ["mcp", "list"], {
      cwd: project,
      // Gemini CLI starts servers of trusted folders only.
      env: { ...others, GEMINI_CLI_TRUST_WORKSPACE: "true" },
    });
    expect(listed.stdout + listed.stderr).toMatch(expected);
    expect((await toolpacks("init", "--undo")).code).toBe(0);
    expect(read(sample?.file ?? "")).not.toContain("toolpacks");
  });
});

describe.skipIf(programs === undefined)("the first turn of the real", { timeout: 120_000 }, () => {
  test("Claude Code has our tools by the entry that init writes, and none without its field", async () => {
    const { toolpacks, env, read, directory, project } = homeWith(() => ({ ".claude.json": { mcpServers: {} } }));
    const { address, lastRequest } = await startModel();
    expect((await toolpacks("init", "claude-code", "--yes")).code).toBe(0);
    const { CLAUDE_CONFIG_DIR: _folder, ...others } = { ...process.env, ...env };
    const toolsListed = async () => {
      const words = ["-c", '"$@" < /dev/null', "sh", path.join(programs ?? "", "claude"), "-p", "hello"];
      const client = { ...others, ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "x", DISABLE_TELEMETRY: "1" };
      await promisify(execFile)("/bin/sh", words, { cwd: project, env: { ...client, ENABLE_TOOL_SEARCH: "true" } });
      return lastRequest().match(/"name":"mcp__toolpacks__tool_\w+"/g)?.length ?? 0;
    };
    expect(await toolsListed()).toBe(4);
    const without = read(".claude.json").replace(/,\s*"alwaysLoad": true/, "");
    writeFileSync(path.join(directory, ".claude.json"), without);
    expect(await toolsListed()).toBe(0);
  });
});

const fact = "Deploys freeze on Fridays.";

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** The answers of both model APIs: one short message. Codex compacts before the next turn, because of the number of tokens. */
const answers: Readonly<Record<string, readonly Event[]>> = {
  "/v1/responses": [
    { type: "response.created", response: { id: "r1" } },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: {
        type: "message",
        id: "m1",
        role: "assistant",
        content: [{ type: "output_text", text: "hi", annotations: [] }],
      },
    },
    {
      type: "response.completed",
      response: { id: "r1", usage: { input_tokens: 90_000, output_tokens: 1, total_tokens: 90_001 } },
    },
  ],
  "/v1/messages": [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ],
};

/** A model on loopback. It keeps the requests for messages. */
async function startModel() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const events = answers[new URL(request.url ?? "/", "http://localhost").pathname];
      if (events === undefined) {
        response.end("{}");
        return;
      }
      requests.push(Buffer.concat(chunks).toString());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    lastRequest: () => requests.at(-1) ?? "",
    /** How often the last request has the fact, as a part of a briefing. */
    briefings: () => (requests.at(-1) ?? "").split(`- ${fact}`).length - 1,
  };
}

describe.skipIf(programs === undefined)("hooks, with real clients", { timeout: 120_000 }, () => {
  test("Claude Code gives its model the briefing at a start and at a resume, and saves a state at the end", async () => {
    const { call, toolpacks, project, env } = hookHome();
    const { address, briefings, lastRequest } = await startModel();
    await toolpacks("hooks", "claude-code");
    await call("memory_remember", { text: fact });
    const { CLAUDE_CONFIG_DIR: _folder, ...others } = { ...process.env, ...env };
    const claude = (...args: string[]) =>
      promisify(execFile)(
        "/bin/sh",
        ["-c", '"$@" < /dev/null', "sh", path.join(programs ?? "", "claude"), "-p", ...args],
        {
          cwd: project,
          env: { ...others, ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: "x", DISABLE_TELEMETRY: "1" },
        },
      );
    await claude("hello");
    expect(briefings()).toBe(1);
    expect(await call("memory_brief")).toMatch(
      /Last conversation, claude-code-[\s\S]*- goal: hello\n- agent: hi\n- \(saved before the end \(/,
    );
    await call("memory_remember", { text: "Anna moved to Oslo." });
    await claude("-c", "again");
    expect(lastRequest()).toContain("- Anna moved to Oslo.");
  });

  test("Codex gives its model the briefing at a start, and again after a compaction, before which it saves a state", async () => {
    const { call, toolpacks, project, env } = hookHome({ ".codex/config.toml": "" });
    const { address, briefings } = await startModel();
    const provider = `{ name = "loopback", base_url = "${address}/v1", wire_api = "responses" }`;
    const config = [
      "model_provider=loopback",
      `model_providers.loopback=${provider}`,
      "model_auto_compact_token_limit=1000",
    ];
    await toolpacks("hooks", "codex");
    await call("memory_remember", { text: fact });
    const { CODEX_HOME: _folder, ...others } = { ...process.env, ...env };
    const codex = (...args: string[]) => {
      const flags = [
        ...config.flatMap((one) => ["-c", one]),
        "--skip-git-repo-check",
        "--dangerously-bypass-hook-trust",
      ];
      const words = [path.join(programs ?? "", "codex"), "exec", ...args, ...flags];
      return promisify(execFile)("/bin/sh", ["-c", '"$@" < /dev/null', "sh", ...words], { cwd: project, env: others });
    };
    await codex("hello");
    expect(briefings()).toBe(1);
    expect(await call("memory_brief")).toMatch(
      /Last conversation, codex-[\s\S]*- goal: hello\n- agent: hi\n- \(saved before the end \(other\)/,
    );
    const { stderr } = await codex("resume", "--last", "again");
    expect(stderr).toMatch(/hook: PreCompact Completed[\s\S]*hook: SessionStart Completed/);
    // One for the resume, and one for the compaction.
    expect(briefings()).toBe(2);
    expect(await call("memory_brief")).toMatch(/Last conversation, codex-[\s\S]*- goal: hello\n/);
  });
});

const codexProvider = (url: string) =>
  Object.entries({ name: "local", base_url: `${url}/v1`, wire_api: "responses", env_key: "OPENAI_API_KEY" }).flatMap(
    ([name, value]) => ["-c", `model_providers.local.${name}="${value}"`],
  );

const transcripts = {
  "claude-code": {
    program: "claude",
    args: (_url: string, prompt: string) => ["-p", prompt, "--allowedTools", "Bash(*)"],
    files: ".claude/projects/*/*.jsonl",
  },
  codex: {
    program: "codex",
    args: (url: string, prompt: string) => [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "-m",
      "gpt-5.3-codex",
      "-c",
      'model_provider="local"',
      ...codexProvider(url),
      prompt,
    ],
    files: ".codex/sessions/*/*/*/rollout-*.jsonl",
  },
} as const;

describe.skipIf(programs === undefined)("import --transcript, with a session of the real", { timeout: 120_000 }, () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await startScriptedModel();
  });
  afterAll(() => model.close());

  test.each(["claude-code", "codex"] as const)("%s, imports all of its messages and calls", async (id) => {
    const { program, args, files } = transcripts[id];
    const [home, cwd] = [folder(), folder()];
    mkdirSync(path.join(home, ".codex"));
    const child = spawn(path.join(programs ?? "", program), args(model.url, "Why does the migration fail?"), {
      cwd,
      stdio: "ignore",
      env: {
        PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"]}`,
        HOME: home,
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: "sk-ant-local",
        OPENAI_API_KEY: "sk-local",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    });
    await once(child, "exit");
    const [file = ""] = globSync(files, { cwd: home });
    const imported = await run(["import", "--transcript", path.join(home, file), "--store", "s.db"], { cwd });
    expect(imported.stderr).toMatch(
      new RegExp(`^episode \\w{16}, ${id} .*: Why does the migration fail\\?\n4 parts imported\n$`),
    );
    const { stdout } = await run(["export", "--store", "s.db"], { cwd });
    const parts = stdout
      .split("\n")
      .filter((line) => line.startsWith('{"kind":"episode_part","workspace"'))
      .map((line) => (JSON.parse(line) as { data: { role: string; text: string } }).data);
    const masked = scriptedCommand.replace("canary", "***");
    expect(parts.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      "user: Why does the migration fail?",
      "assistant: I run it.",
      expect.stringMatching(/^tools: (?:Bash|exec_command) .* → failed$/) as string,
      "assistant: The column exists already.",
    ]);
    expect(parts[2]?.text).toContain(masked);
  });
});
