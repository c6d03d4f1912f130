import { expect, test } from "vitest";
import { claudeCodeSession, jsonl, timeAt } from "../transcripts.fixture.ts";
import { readTranscript } from "./read-transcript.ts";
import { transcriptLines } from "./transcript-lines.ts";

const read = (records: readonly unknown[]) => readTranscript(transcriptLines(jsonl(records)));
const spoken = async (records: readonly unknown[]) =>
  (await read(records)).parts.map(({ role, text }) => `${role}: ${text}`);

test("a session has what was asked and answered, and the names of tools with short inputs and failures", async () => {
  const { record, user, says, thinks, calls, result } = claudeCodeSession();
  const transcript = await read([
    { type: "mode", mode: "normal", sessionId: "3f1b0c52-6a52-4a2e-9d77-1f0c5a6b7c8d" },
    { type: "file-history-snapshot", messageId: "m", snapshot: { trackedFileBackups: {} }, isSnapshotUpdate: false },
    user("Why does the migration fail?"),
    record("attachment", { attachment: { type: "todo_reminder", content: [], itemCount: 0 } }),
    thinks("The user wants the cause."),
    says("I run it."),
    calls("toolu_1", "Bash", { command: "npm run migrate", description: "Run it" }),
    result("toolu_1", "Exit code 1\nduplicate column", true),
    calls("toolu_2", "Read", { file_path: "/home/anna/shop/004.sql" }),
    result("toolu_2", [{ type: "text", text: "ALTER TABLE orders" }]),
    says("The column exists already."),
    user([{ type: "text", text: "Make it conditional." }]),
    record("system", { subtype: "turn_duration", durationMs: 88_947, isMeta: false }),
  ]);
  expect(transcript.parts).toEqual([
    { part: 1, role: "user", at: timeAt(0), text: "Why does the migration fail?" },
    { part: 2, role: "assistant", at: timeAt(3), text: "I run it." },
    {
      part: 3,
      role: "tools",
      at: timeAt(4),
      text: [
        `Bash {"command":"npm run migrate","description":"Run it"} → failed`,
        `Read {"file_path":"/home/anna/shop/004.sql"}`,
      ].join("\n"),
    },
    { part: 4, role: "assistant", at: timeAt(8), text: "The column exists already." },
    { part: 5, role: "user", at: timeAt(9), text: "Make it conditional." },
  ]);
  expect(transcript.episode).toEqual({
    client: "claude-code",
    session: "3f1b0c52-6a52-4a2e-9d77-1f0c5a6b7c8d",
    title: "Why does the migration fail?",
    folder: "/home/anna/shop",
    from: timeAt(0),
    until: timeAt(9),
    parts: 5,
  });
});

test("a compaction leaves its summary, and messages written while the agent worked count", async () => {
  const { record, user, says } = claudeCodeSession();
  const queued = (prompt: string, commandMode: string, kind: string) =>
    record("attachment", { attachment: { type: "queued_command", prompt, commandMode, origin: { kind } } });
  const boundary = { subtype: "compact_boundary", content: "Conversation compacted", parentUuid: null };
  const summary = { isCompactSummary: true, isVisibleInTranscriptOnly: true };
  expect(
    await spoken([
      user("Begin."),
      queued("and the tests too", "prompt", "human"),
      queued("The job is done.", "task-notification", "task-notification"),
      queued("The job is done.", "prompt", "task-notification"),
      record("system", { ...boundary, compactMetadata: { trigger: "auto", preTokens: 155_025 } }),
      user("This session is continued: the migration was mended.", summary),
      says("Going on."),
    ]),
  ).toEqual([
    "user: Begin.",
    "user: and the tests too",
    "summary: This session is continued: the migration was mended.",
    "assistant: Going on.",
  ]);
});

test("texts of the client, of sub-agents and of errors are left out", async () => {
  const { user, says } = claudeCodeSession();
  const first = user("First, <b>really</b>.<system-reminder>Never say this.</system-reminder>");
  expect(
    await spoken([
      first,
      // A record may be in the file twice.
      first,
      user(
        "<command-name>/review</command-name>\n<command-message>review</command-message><command-args>42</command-args>",
      ),
      user("<local-command-stdout>Set model</local-command-stdout>"),
      user("<bash-input>git status</bash-input>"),
      user("<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>"),
      user("Caveat: read this", { isMeta: true }),
      user("[Request interrupted by user for tool use]"),
      user("<task-notification><task-id>b1</task-id></task-notification>", { origin: { kind: "task-notification" } }),
      user("The background job has ended.", { origin: { kind: "task-notification" } }),
      user("Look for it.", { isSidechain: true, agentId: "a1" }),
      says("Found it.", { isSidechain: true }),
      says("API Error: 529", { isApiErrorMessage: true }),
      says("<system-reminder> is a tag"),
    ]),
  ).toEqual([
    "user: First, <b>really</b>.",
    "user: /review 42",
    "user: ! git status",
    "assistant: <system-reminder> is a tag",
  ]);
});

test("the title is the user's name for the session, else the client's, else the first request", async () => {
  const { user, says } = claudeCodeSession();
  const asked = user("Why does the migration fail?");
  const answered = says("Because of a column.");
  const title = async (...records: readonly unknown[]) => (await read([...records, asked, answered])).episode.title;
  expect(await title()).toBe("Why does the migration fail?");
  const aiTitle = { type: "ai-title", aiTitle: "Mend the migration", sessionId: "x" };
  expect(await title(aiTitle)).toBe("Mend the migration");
  expect(await title({ type: "custom-title", customTitle: "orders", sessionId: "x" }, aiTitle)).toBe("orders");
});
