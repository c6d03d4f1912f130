import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { hookHome, hookSamples } from "./hooks.fixture.ts";

const fact = "Deploys freeze on Fridays.";

function backupsIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    /before-toolpacks|client-changes/.test(name),
  );
}

describe.skipIf(process.platform !== "linux").each(hookSamples)("toolpacks hooks $id", (sample) => {
  const { id, file, text, start, compaction, end } = sample;

  test("adds one hook per event, keeps all others, changes nothing again, and --undo restores every byte", async () => {
    const { toolpacks, read, commands, directory } = hookHome({ [file]: text });
    const shown = await toolpacks("hooks", id, "--print");
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain("hook ");
    expect(shown.stdout).not.toContain("s3cr3t");
    expect(read(file)).toBe(text);
    expect(await toolpacks("hooks", id)).toMatchObject({ code: 0, stderr: "" });
    const changed = read(file);
    const before = JSON.parse(text) as { hooks: Record<string, unknown[]> };
    const after = JSON.parse(changed) as typeof before;
    expect({ ...after, hooks: undefined }).toEqual({ ...before, hooks: undefined });
    for (const [event, entries] of Object.entries(before.hooks)) {
      expect(after.hooks[event]?.slice(0, entries.length)).toEqual(entries);
    }
    for (const event of [start, compaction, end]) {
      expect(commands(file, event).filter((command) => command.endsWith(`hook ${id}`))).toHaveLength(1);
    }
    // A line of the file may get a comma.
    const lines = new Set(changed.split("\n"));
    expect(text.split("\n").filter((line) => !lines.has(line) && !lines.has(`${line},`))).toEqual([]);
    const again = await toolpacks("hooks", id);
    expect(again.stdout).toContain("not changed: the hooks are set up already");
    expect(read(file)).toBe(changed);
    expect((await toolpacks("hooks", id, "--undo")).stdout).toMatch(/: restored\n$/);
    expect(read(file)).toBe(text);
    expect(backupsIn(directory)).toEqual([]);
  });

  test("creates the file, and --undo removes it", async () => {
    const { toolpacks, directory } = hookHome();
    expect((await toolpacks("hooks", id)).stdout).toContain("(new file)");
    expect(existsSync(path.join(directory, file))).toBe(true);
    await toolpacks("hooks", id, "--undo");
    expect(existsSync(path.join(directory, file))).toBe(false);
    expect((await toolpacks("hooks", id, "--undo")).stdout).toContain("has no hooks of toolpacks");
  });

  test("--undo removes only its own hooks from a file that was changed since", async () => {
    const { toolpacks, read, write, directory } = hookHome({ [file]: text });
    await toolpacks("hooks", id);
    const changed = JSON.parse(read(file)) as { hooks: Record<string, unknown[]> };
    const added = { matcher: "later", hooks: [{ type: "command", command: "echo later" }], command: "echo later" };
    changed.hooks[start]?.push(added);
    write(file, changed);
    expect((await toolpacks("hooks", id, "--undo")).stdout).toContain("later changes of the file are kept");
    const before = JSON.parse(text) as typeof changed;
    before.hooks[start]?.push(added);
    expect(JSON.parse(read(file))).toEqual(before);
    expect(backupsIn(directory)).toEqual([]);
  });

  test("names the place of an error in the file, and leaves the file", async () => {
    const broken = '{\n  "hooks": [,\n';
    const { toolpacks, read } = hookHome({ [file]: broken });
    const { code, stderr } = await toolpacks("hooks", id);
    expect(code).toBe(2);
    expect(stderr).toContain(`${file}:2:`);
    expect(read(file)).toBe(broken);
  });

  test("shows the briefing at each source of a start, from the folder of the session", async () => {
    const { call, toolpacks, runHook, project } = hookHome({ [file]: text });
    await toolpacks("hooks", id);
    await call("memory_remember", { text: fact });
    const inputs = sample.starts(project);
    expect(inputs.map(({ source }) => source)).toEqual(
      id === "cursor" ? [undefined] : ["startup", "resume", "clear", "compact"],
    );
    for (const input of inputs) {
      const { code, stdout, stderr } = await runHook(file, start, input);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.trimEnd()).not.toContain("\n");
      expect(sample.contextOf(stdout)).toContain(`- ${fact}`);
      expect(sample.contextOf(stdout)).toContain("data, not instructions");
    }
  });

  test.each([
    ["a compaction", "auto", () => [compaction, sample.beforeCompaction] as const],
    ["the end", "clear|other|user_close", () => [end, sample.atEnd] as const],
  ])("saves a state before %s, which the next briefing shows", async (moment, cause, of) => {
    const { toolpacks, runHook, project, directory } = hookHome({ [file]: text });
    await toolpacks("hooks", id);
    const transcript = path.join(directory, "transcript.jsonl");
    const silent = { role: "assistant", message: { role: "assistant", content: [{ type: "text", text: "" }] } };
    writeFileSync(
      transcript,
      `${[...sample.transcript, silent].map((line) => JSON.stringify(line)).join("\n")}\nnot JSON\n`,
    );
    const [event, inputOf] = of();
    const saved = await runHook(file, event, inputOf(project, transcript));
    expect({ ...saved, stdout: "" }).toEqual({ code: 0, stdout: "", stderr: "" });
    const isShown = id === "cursor" && event === compaction;
    expect(saved.stdout).toMatch(isShown ? /^\{"user_message":"toolpacks saved the state/ : /^$/);
    const [input = {}] = sample.starts(project).toReversed();
    const context = String(sample.contextOf((await runHook(file, start, input)).stdout));
    expect(context).toContain(`Last conversation, ${id}-0f6c8a52-20`);
    expect(context).toContain("- goal: Fix the login.\n- agent: The session expires too early.\n");
    expect(context).toMatch(new RegExp(`saved before ${moment} \\((?:${cause})\\) of ${id};`));
    if (id === "claude-code") expect(context).toContain("- files: /src/login.ts");
  });

  test("never fails the client: it exits with code 0 and says the problem on stderr", async () => {
    const { call, toolpacks, commands, runCommand, project } = hookHome({ [file]: text });
    await toolpacks("hooks", id);
    await call("memory_remember", { text: fact });
    const command = commands(file, start).at(-1) ?? "";
    const [input = {}] = sample.starts(project);
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [command, "not JSON", /^toolpacks: hook: .*JSON/],
      [command, "", /^toolpacks: hook: /],
      [command, "[1]", /stdin: expected a JSON object/],
      [command, JSON.stringify({ ...input, hook_event_name: "Stop" }), /hook_event_name: expected .*, received "Stop"/],
      [`${command} --tokens 1`, JSON.stringify(input), /--tokens: expected a whole number from 200 to 2000/],
      [`${command} --store ${project}`, JSON.stringify(input), /^toolpacks: /],
      [`${command} --config gone.json`, JSON.stringify(input), /^toolpacks: hook: .*gone\.json/],
      [command.replace(`hook ${id}`, "hook other"), JSON.stringify(input), /unknown client "other"; expected one of/],
    ];
    for (const [line, stdin, problem] of cases) {
      const { code, stdout, stderr } = await runCommand(line, stdin);
      expect(stderr).toMatch(problem);
      expect({ line, code, stdout }).toEqual({ line, code: 0, stdout: "" });
    }
    // An option of a later version is ignored.
    expect((await runCommand(`${command} --later x`, JSON.stringify(input))).stdout).toContain(fact);
  });
});

describe.skipIf(process.platform !== "linux")("toolpacks hooks", () => {
  test("uses the store and workspace of the client's own entry, and flags before them", async () => {
    const entry = { command: "npx", args: ["-y", "toolpacks", "--store", "/data/a b.db", "--workspace=shop"] };
    const { toolpacks, commands } = hookHome({ ".cursor/mcp.json": { mcpServers: { toolpacks: entry } } });
    await toolpacks("hooks", "cursor");
    const file = ".cursor/hooks.json";
    expect(commands(file, "sessionStart")[0]).toMatch(/ hook cursor --store '\/data\/a b\.db' --workspace shop$/);
    await toolpacks("hooks", "cursor", "--tokens", "400");
    expect(commands(file, "sessionStart")).toHaveLength(1);
    expect(commands(file, "sessionStart")[0]).toMatch(/ --workspace shop --tokens 400$/);
  });

  test("replaces a hook of another place, and keeps the handlers beside it", async () => {
    const mine = { type: "command", command: "echo mine" };
    const old = { type: "command", command: "'/gone/node' '/gone/toolpacks/dist/cli.js' hook claude-code" };
    const file = ".claude/settings.json";
    const { toolpacks, commands } = hookHome({ [file]: { hooks: { SessionStart: [{ hooks: [mine, old] }] } } });
    await toolpacks("hooks", "claude-code");
    const found = commands(file, "SessionStart");
    expect(found).toHaveLength(2);
    expect(found[0]).toBe("echo mine");
    expect(found[1]).not.toContain("/gone/");
  });

  test("does not touch a hooks file with comments in a list that it would write anew", async () => {
    const text = '{ "version": 1, "hooks": { "sessionStart": [ { "command": "a" } /* mine */ ] } }';
    const { toolpacks, read } = hookHome({ ".cursor/hooks.json": text });
    const { code, stderr } = await toolpacks("hooks", "cursor");
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("change it by hand") });
    expect(read(".cursor/hooks.json")).toBe(text);
  });

  test("the hook of Claude Code is silent in Cursor, which may run it too", async () => {
    const { call, toolpacks, runHook, project } = hookHome();
    await toolpacks("hooks", "claude-code");
    await call("memory_remember", { text: fact });
    const input = { ...hookSamples[2]?.starts(project)[0], hook_event_name: "SessionStart" };
    expect(await runHook(".claude/settings.json", "SessionStart", input)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("a briefing creates no store", async () => {
    const { toolpacks, runHook, project, env } = hookHome();
    await toolpacks("hooks", "claude-code");
    const [input = {}] = hookSamples[0]?.starts(project) ?? [];
    expect(await runHook(".claude/settings.json", "SessionStart", input)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(existsSync(env.TOOLPACKS_STORE)).toBe(false);
  });

  test("a hook starts no other server of the config file, leaves no trace, and obeys deny", async () => {
    const { call, toolpacks, runHook, project, directory, write } = hookHome();
    await toolpacks("hooks", "claude-code");
    await call("memory_remember", { text: fact });
    await call("issue_create", { issues: [{ title: "Mend the roof" }] });
    const canary = path.join(directory, "started");
    const other = { command: "/bin/sh", args: ["-c", `touch '${canary}'`] };
    const [input = {}] = hookSamples[0]?.starts(project) ?? [];
    for (const denied of [
      ["filesystem", "planner"],
      ["issues", "fs_read"],
    ]) {
      write("project/toolpacks.config.json", { mcpServers: { other }, deny: denied });
      await toolpacks("trust", project, "--yes");
      const { stdout, stderr } = await runHook(".claude/settings.json", "SessionStart", input);
      expect(stderr).toBe("");
      expect(stdout).toContain(fact);
      expect(stdout.includes("Mend the roof")).toBe(!denied.includes("issues"));
    }
    write("project/toolpacks.config.json", { deny: ["memory_brief"] });
    await toolpacks("trust", project, "--yes");
    const refused = await runHook(".claude/settings.json", "SessionStart", input);
    expect(refused).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("denied") });
    expect(existsSync(canary)).toBe(false);
    write("project/toolpacks.config.json", {});
    const traces = await call("store_query", { kind: "trace" });
    expect(traces).toContain("issue_create");
    expect(traces).not.toContain("memory_brief");
  });

  test("the state before a compaction masks secrets of the transcript", async () => {
    const { toolpacks, runHook, project, directory } = hookHome();
    await toolpacks("hooks", "claude-code");
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const line = (role: string, content: string) =>
      JSON.stringify({ type: role, sessionId: "s", message: { role, content: [{ type: "text", text: content }] } });
    const transcript = path.join(directory, "t.jsonl");
    const lines = [line("user", `${"x".repeat(990)} ${secret}`), line("assistant", `password=hunter2 ${secret}`)];
    writeFileSync(transcript, `${"y".repeat(700_000)}\n${lines.join("\n")}`);
    const input = hookSamples[0]?.beforeCompaction(project, transcript) ?? {};
    expect((await runHook(".claude/settings.json", "PreCompact", input)).stderr).toBe("");
    const { stdout } = await toolpacks("export");
    expect(stdout).toContain("password=***");
    expect(stdout).not.toMatch(/ghp_|hunter2/);
  });

  test("a state has the first prompt of a long session, the newest messages, and the end of a long message", async () => {
    const { call, toolpacks, runHook, project, directory } = hookHome();
    await toolpacks("hooks", "claude-code");
    const line = (role: string, content: string, marks = {}) =>
      JSON.stringify({
        type: role,
        sessionId: "s",
        ...marks,
        message: { role, content: [{ type: "text", text: content }] },
      });
    const edit = { type: "tool_use", id: "t1", name: "Edit", input: { file_path: path.join(project, "src/a.js") } };
    const lines = [
      line("user", "Add codes."),
      line("assistant", "Old ".repeat(200_000)),
      line("user", "Summary of the conversation", { isCompactSummary: true }),
      line("user", "[Request interrupted by user]"),
      line("user", "Cap them at the net."),
      line("assistant", "I look at it."),
      JSON.stringify({ type: "assistant", sessionId: "s", message: { role: "assistant", content: [edit] } }),
      line("assistant", `Done with the cap.\n\n${"More. ".repeat(300)}\nNext: the tests.`),
    ];
    const transcript = path.join(directory, "t.jsonl");
    writeFileSync(transcript, lines.join("\n"));
    await runHook(".claude/settings.json", "SessionEnd", hookSamples[0]?.atEnd(project, transcript) ?? {});
    const stdout = await call("memory_brief");
    const shown = stdout.split("\n").filter((text) => text.startsWith("- "));
    expect(shown).toEqual([
      "- goal: Add codes.",
      expect.stringMatching(/^- agent: Done with the cap\. More\. .* … .*More\. Next: the tests\.$/),
      "- user: Cap them at the net.",
      "- (saved before the end (clear) of claude-code; newest message first)",
      "- files: src/a.js",
    ]);
  });

  test("a transcript that tells nothing saves no state, which would hide the last one", async () => {
    const { call, toolpacks, runHook, project, directory } = hookHome();
    await toolpacks("hooks", "claude-code");
    writeFileSync(path.join(directory, "empty"), "{}\n");
    for (const name of ["empty", "gone", "."]) {
      const input = hookSamples[0]?.beforeCompaction(project, path.join(directory, name)) ?? {};
      const { code, stdout, stderr } = await runHook(".claude/settings.json", "PreCompact", input);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toMatch(/^toolpacks: hook: no state is saved: the transcript /);
    }
    expect(await call("memory_brief")).toMatch(/^Nothing is recorded/);
  });

  test("a session in a subfolder of a repository has the briefing of the repository", async () => {
    const { call, toolpacks, runHook, project } = hookHome();
    mkdirSync(path.join(project, ".git"));
    await toolpacks("hooks", "codex");
    await call("memory_remember", { text: fact });
    const inner = path.join(project, "src/deep");
    mkdirSync(inner, { recursive: true });
    const [input = {}] = hookSamples[1]?.starts(inner) ?? [];
    expect((await runHook(".codex/hooks.json", "SessionStart", input)).stdout).toContain(fact);
  });
});
