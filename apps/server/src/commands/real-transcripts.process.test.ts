import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { scriptedCommand, startScriptedModel, type ScriptedModel } from "./real-transcripts.fixture.ts";

/** The folder with the programs of the clients, such as `node_modules/.bin`; without it, these tests are skipped. */
const programs = process.env["CLIENTS_BIN"];

const codexProvider = (url: string) =>
  Object.entries({ name: "local", base_url: `${url}/v1`, wire_api: "responses", env_key: "OPENAI_API_KEY" }).flatMap(
    ([name, value]) => ["-c", `model_providers.local.${name}="${value}"`],
  );

const clients = {
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
    const { program, args, files } = clients[id];
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
