import { expect, test } from "vitest";
import { codexSession, jsonl, timeAt } from "../transcripts.fixture.ts";
import { readTranscript } from "./read-transcript.ts";
import { transcriptLines } from "./transcript-lines.ts";

const read = (records: readonly unknown[]) => readTranscript(transcriptLines(jsonl(records)));
const spoken = async (records: readonly unknown[]) =>
  (await read(records)).parts.map(({ role, text }) => `${role}: ${text}`);

test("a rollout has each message once, and the names of tools with short inputs and failures", async () => {
  const { line, item, event, meta, message, calls, result } = codexSession();
  const transcript = await read([
    meta(),
    message("developer", "<permissions instructions>Ask first.</permissions instructions>"),
    message("user", "# AGENTS.md instructions for /home/anna/shop\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"),
    message("user", "<environment_context>\n  <cwd>/home/anna/shop</cwd>\n</environment_context>"),
    event({ type: "task_started", turn_id: "t1" }),
    line("turn_context", { cwd: "/home/anna/shop", approval_policy: "on-request", model: "gpt-5.3-codex" }),
    message("user", "Why does the migration fail?"),
    event({ type: "user_message", message: "Why does the migration fail?", images: [] }),
    item({ type: "reasoning", summary: [{ type: "summary_text", text: "The cause" }], encrypted_content: "gAAA" }),
    event({ type: "agent_message", message: "I run it.", phase: "commentary" }),
    message("assistant", "I run it."),
    calls("call_1", "exec_command", { cmd: "npm run migrate" }),
    result("call_1", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nduplicate column"),
    item({ type: "custom_tool_call", call_id: "call_2", name: "apply_patch", input: "*** Begin Patch\n*** End Patch" }),
    item({ type: "custom_tool_call_output", call_id: "call_2", output: "Exit code: 0\nOutput:\nSuccess" }),
    item({
      type: "local_shell_call",
      call_id: "call_3",
      status: "completed",
      action: { type: "exec", command: ["ls"] },
    }),
    result("call_3", '{"output":"","metadata":{"exit_code":2,"duration_seconds":0.1}}'),
    item({ type: "web_search_call", status: "completed", action: { type: "search", query: "duplicate column" } }),
    calls("call_4", "mcp__shop__find", { id: 7 }),
    event({ type: "mcp_tool_call_end", call_id: "call_4", result: { Ok: { content: [], isError: true } } }),
    calls("call_5", "exec", { input: "text(1)" }),
    result("call_5", [
      { type: "input_text", text: "Exit code: 3" },
      { type: "input_text", text: "Script failed" },
    ]),
    event({ type: "token_count", info: null }),
    message("assistant", "The column exists already."),
    event({ type: "agent_message", message: "The column exists already.", phase: "final_answer" }),
    event({ type: "task_complete", turn_id: "t1" }),
  ]);
  expect(transcript.parts.map(({ role, text }) => [role, text])).toEqual([
    ["user", "Why does the migration fail?"],
    ["assistant", "I run it."],
    [
      "tools",
      [
        `exec_command {"cmd":"npm run migrate"} → failed`,
        "apply_patch *** Begin Patch *** End Patch",
        `shell ["ls"] → failed`,
        "web_search duplicate column",
        `mcp__shop__find {"id":7} → failed`,
        `exec {"input":"text(1)"} → failed`,
      ].join("\n"),
    ],
    ["assistant", "The column exists already."],
  ]);
  expect(transcript.episode).toEqual({
    client: "codex",
    session: "019cb655-7826-7080-b375-f4bd0ec83d54",
    title: "Why does the migration fail?",
    folder: "/home/anna/shop",
    from: timeAt(6),
    until: timeAt(23),
    parts: 4,
  });
});

test("the same message twice in the conversation is kept twice", async () => {
  const { event, meta, message } = codexSession();
  const yes = () => [message("user", "yes"), event({ type: "user_message", message: "yes" })];
  expect(await spoken([meta(), ...yes(), ...yes()])).toEqual(["user: yes", "user: yes"]);
});

test("a rollout with items only or with events only has its messages", async () => {
  const { event, meta, message } = codexSession();
  expect(await spoken([meta(), message("user", "Begin."), message("assistant", "Done.")])).toEqual([
    "user: Begin.",
    "assistant: Done.",
  ]);
  expect(
    await spoken([
      meta(),
      event({ type: "user_message", message: "Begin." }),
      event({ type: "agent_message", message: "Done." }),
    ]),
  ).toEqual(["user: Begin.", "assistant: Done."]);
});

test("completed items repeat no message, and say which calls failed", async () => {
  const { line, event, meta, message, calls, result } = codexSession();
  const completed = (item: object) => event({ type: "item_completed", turn_id: "t1", item });
  expect(
    await spoken([
      meta({ history_mode: "paginated" }),
      line("world_state", { full: true, state: { agents_md: {} } }),
      message("user", "Begin."),
      completed({ type: "UserMessage", id: "u1", content: [{ type: "text", text: "Begin." }] }),
      calls("call_1", "mcp__shop__find", { id: 7 }),
      completed({ type: "McpToolCall", id: "call_1", status: "failed" }),
      result("call_1", "no such order"),
      calls("call_2", "exec_command", { cmd: "ls" }),
      completed({ type: "CommandExecution", id: "call_2", status: "completed", exit_code: 0 }),
      line("token_usage_record", { usage: {} }),
      completed({ type: "AgentMessage", id: "m1", content: [{ type: "Text", text: "Done." }] }),
      message("assistant", "Done."),
    ]),
  ).toEqual([
    "user: Begin.",
    `tools: mcp__shop__find {"id":7} → failed\nexec_command {"cmd":"ls"}`,
    "assistant: Done.",
  ]);
});

test("a compaction leaves its summary, but no copy of the history", async () => {
  const { line, meta, message } = codexSession();
  const replacement = [{ type: "message", role: "user", content: [{ type: "input_text", text: "Begin." }] }];
  expect(
    await spoken([
      meta(),
      message("user", "Begin."),
      line("compacted", { message: "The migration was mended.", replacement_history: replacement, window_number: 1 }),
      line("compacted", { message: "", replacement_history: replacement }),
      message("user", "<image name=[Image #1]>", "</image>", "And this?"),
    ]),
  ).toEqual(["user: Begin.", "summary: The migration was mended.", "user: And this?"]);
});

test("a sub-agent's rollout has its own messages only", async () => {
  const { meta, message } = codexSession("019cb655-0000-7080-b375-000000000002");
  const source = { subagent: { thread_spawn: { parent_thread_id: "019cb655-0000-7080-b375-000000000001" } } };
  const transcript = await read([
    meta({ session_id: "019cb655-0000-7080-b375-000000000001", source, subagent_history_start_ordinal: 3 }),
    meta({ id: "019cb655-0000-7080-b375-000000000001" }),
    message("user", "Asked of the parent."),
    message("user", "Find the tests."),
  ]);
  expect(transcript.parts.map(({ text }) => text)).toEqual(["Find the tests."]);
  expect(transcript.episode.session).toBe("019cb655-0000-7080-b375-000000000002");
});
