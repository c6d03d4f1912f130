import { randomUUID } from "node:crypto";

/** The bytes of a JSONL file. Strings are lines that are no JSON. */
export function jsonl(records: readonly unknown[]): Buffer[] {
  const lines = records.map((record) => (typeof record === "string" ? record : JSON.stringify(record)));
  return [Buffer.from(`${lines.join("\n")}\n`)];
}

/** The time of the n-th record. */
export function timeAt(at: number): string {
  return new Date(Date.UTC(2027, 0, 31, 9, 0, at)).toISOString();
}

/** Makes records of one session as Claude Code writes them, each a second after the one before. */
export function claudeCodeSession(sessionId = "3f1b0c52-6a52-4a2e-9d77-1f0c5a6b7c8d", cwd = "/home/anna/shop") {
  let parentUuid: string | null = null;
  let count = 0;
  const record = (type: string, fields: object) => {
    const uuid = randomUUID();
    const common = { isSidechain: false, userType: "external", cwd, sessionId, version: "2.1.37", gitBranch: "main" };
    const made = { parentUuid, ...common, type, uuid, timestamp: timeAt(count), ...fields };
    parentUuid = uuid;
    count += 1;
    return made;
  };
  const answer = (block: object, fields: object = {}) => {
    const usage = { input_tokens: 4, cache_read_input_tokens: 12_000, output_tokens: 87 };
    const envelope = { model: "claude-opus-5-5", id: `msg_${count}`, type: "message", role: "assistant", usage };
    const message = { ...envelope, content: [block], stop_reason: null };
    return record("assistant", { message, requestId: `req_${count}`, ...fields });
  };
  return {
    record,
    user: (content: unknown, fields: object = {}) => record("user", { message: { role: "user", content }, ...fields }),
    says: (text: string, fields?: object) => answer({ type: "text", text }, fields),
    thinks: (thinking: string) => answer({ type: "thinking", thinking, signature: "EqQBCgIYAhIM" }),
    calls: (id: string, name: string, input: unknown) => answer({ type: "tool_use", id, name, input }),
    result: (id: string, content: unknown, isError = false) =>
      record("user", {
        message: {
          role: "user",
          content: [{ tool_use_id: id, type: "tool_result", content, ...(isError && { is_error: true }) }],
        },
        toolUseResult: { stdout: content, stderr: "", interrupted: false, isImage: false },
      }),
  };
}

/** Makes lines of one session as Codex writes them. */
export function codexSession(id = "019cb655-7826-7080-b375-f4bd0ec83d54", cwd = "/home/anna/shop") {
  let ordinal = -1;
  const line = (type: string, payload: object) => {
    ordinal += 1;
    return { timestamp: timeAt(ordinal), ordinal, type, payload };
  };
  const item = (payload: object) => line("response_item", payload);
  const event = (payload: object) => line("event_msg", payload);
  return {
    line,
    item,
    event,
    meta: (fields: object = {}) =>
      line("session_meta", {
        id,
        session_id: id,
        timestamp: timeAt(0),
        cwd,
        originator: "codex_cli_rs",
        cli_version: "0.120.0",
        source: "cli",
        model_provider: "openai",
        base_instructions: { text: "You are a coding agent." },
        git: { commit_hash: "0f1e2d3c", branch: "main", repository_url: "https://example.org/shop.git" },
        ...fields,
      }),
    message: (role: string, ...texts: readonly string[]) => {
      const type = role === "assistant" ? "output_text" : "input_text";
      return item({ type: "message", role, content: texts.map((text) => ({ type, text })) });
    },
    calls: (callId: string, name: string, args: object) =>
      item({ type: "function_call", name, arguments: JSON.stringify(args), call_id: callId }),
    result: (callId: string, output: unknown) => item({ type: "function_call_output", call_id: callId, output }),
  };
}
