import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSessionTail } from "./transcript/session-tail.ts";

const edit = { type: "tool_use", id: "t1", name: "Edit", input: { file_path: "/p/a.ts" } };
const claude = (type: string, content: unknown, marks = {}) => ({
  type,
  sessionId: "s",
  ...marks,
  message: { role: type, content },
});
const codex = (role: string, text: string) => ({
  type: "response_item",
  payload: { type: "message", role, content: [{ type: "input_text", text }] },
});
const cursor = (role: string, text: string) => ({ role, message: { content: [{ type: "text", text }] } });

function transcript(records: readonly object[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), "session-tail-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "t.jsonl");
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return file;
}

test.each<[string, readonly object[], readonly string[]]>([
  [
    "claude-code",
    [
      claude("user", "Fix it."),
      claude("user", "A reminder.", { isMeta: true }),
      claude("user", "A task of a subagent.", { isSidechain: true }),
      claude("assistant", [{ type: "text", text: "I look." }]),
      claude("assistant", [edit, { type: "text", text: "Done." }]),
    ],
    ["/p/a.ts"],
  ],
  [
    "codex",
    [
      { type: "session_meta", payload: { id: "s", cwd: "/p" } },
      codex("user", "<environment_context>\n</environment_context>"),
      codex("user", "Fix it."),
      codex("assistant", "I look."),
      codex("assistant", "Done."),
    ],
    [],
  ],
  ["cursor", [cursor("user", "Fix it."), cursor("assistant", "I look."), cursor("assistant", "Done.")], []],
])("readSessionTail reads the messages and files of a transcript of %s", async (client, records, files) => {
  expect(await readSessionTail(transcript(records), client)).toEqual({
    firstPrompt: "Fix it.",
    messages: [
      { role: "user", text: "Fix it." },
      { role: "agent", text: "Done." },
    ],
    files,
  });
});

test("readSessionTail reads the first prompt and the last messages of a long transcript", async () => {
  const long = { ...claude("user", "x".repeat(20_000)), isMeta: true };
  const middle = claude("assistant", [{ type: "text", text: "In the middle." }]);
  const records = [claude("user", "First."), ...Array.from({ length: 30 }, () => long), middle];
  const file = transcript([...records, ...Array.from({ length: 30 }, () => long), claude("user", "Last.")]);
  const { firstPrompt, messages } = await readSessionTail(file, "claude-code");
  expect([firstPrompt, messages.map(({ text }) => text)]).toEqual(["First.", ["First.", "Last."]]);
});
