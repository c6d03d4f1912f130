import path from "node:path";
import parseArgs from "string-argv";
import { homeWith, runAsProgram } from "./import-home.fixture.ts";

/** A hook's input, as its client writes it. */
type Input = Readonly<Record<string, unknown>>;

export interface HookSample {
  readonly id: "claude-code" | "codex" | "cursor";
  /** The user's hooks file, in the home folder. */
  readonly file: string;
  /** A file with hooks of other people. */
  readonly text: string;
  readonly start: string;
  readonly compaction: string;
  readonly end: string;
  /** The input at the start of a session, for each source that the client has. */
  readonly starts: (project: string) => readonly Input[];
  readonly beforeCompaction: (project: string, transcript: string) => Input;
  readonly atEnd: (project: string, transcript: string) => Input;
  /** The text that the client adds to the context of its model. */
  readonly contextOf: (output: string) => unknown;
  /** Lines of the client's transcript. */
  readonly transcript: readonly object[];
}

const sources = ["startup", "resume", "clear", "compact"] as const;
const session_id = "0f6c8a52-7a3b-4d0e-9c1f-2b5d7e8f9a10";

const groupsOf = (output: string) => {
  const { hookSpecificOutput: specific } = JSON.parse(output) as { hookSpecificOutput: Record<string, unknown> };
  if (specific["hookEventName"] !== "SessionStart") throw new Error("the output is for another event");
  return specific["additionalContext"];
};

const groupedEnd = (reason: string) => (cwd: string, transcript_path: string) => ({
  session_id,
  transcript_path,
  cwd,
  hook_event_name: "SessionEnd",
  reason,
});

export const hookSamples: readonly HookSample[] = [
  {
    id: "claude-code",
    file: ".claude/settings.json",
    text: `{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": { "allow": ["Bash(npm run lint)"], "deny": ["Read(./.env)"] },
  "env": { "API_TOKEN": "s3cr3t" },
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "\\"$CLAUDE_PROJECT_DIR\\"/check.sh", "timeout": 30 }] }
    ],
    "SessionStart": [
      {
        "matcher": "startup",
        "hooks": [
          {
            "type": "command",
            "command": "echo mine"
          }
        ]
      }
    ]
  }
}
`,
    start: "SessionStart",
    compaction: "PreCompact",
    end: "SessionEnd",
    starts: (cwd) =>
      sources.map((source) => ({
        session_id,
        transcript_path: path.join(cwd, "none.jsonl"),
        cwd,
        permission_mode: "default",
        hook_event_name: "SessionStart",
        source,
        model: "claude-sonnet-4-5",
      })),
    beforeCompaction: (cwd, transcript_path) => ({
      session_id,
      transcript_path,
      cwd,
      hook_event_name: "PreCompact",
      trigger: "auto",
      custom_instructions: "",
    }),
    atEnd: groupedEnd("clear"),
    contextOf: groupsOf,
    transcript: [
      { type: "user", message: { role: "user", content: "Fix the login." }, sessionId: session_id },
      {
        type: "user",
        sessionId: session_id,
        isMeta: true,
        message: { role: "user", content: "<system-reminder>no</system-reminder>" },
      },
      {
        type: "user",
        sessionId: session_id,
        isSidechain: true,
        message: { role: "user", content: "A task of a subagent." },
      },
      {
        type: "assistant",
        sessionId: session_id,
        message: {
          role: "assistant",
          content: [
            { type: "text", text: "The session expires too early." },
            { type: "tool_use", id: "t1", name: "Edit", input: { file_path: "/src/login.ts" } },
          ],
        },
      },
      { type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] } },
    ],
  },
  {
    id: "codex",
    file: ".codex/hooks.json",
    text: `{
  "hooks": {
    "SessionStart": [
      {
        "matcher": "startup|resume",
        "hooks": [
          {
            "type": "command",
            "command": "python3 ~/.codex/hooks/mine.py",
            "statusMessage": "Loading mine",
            "timeout": 10
          }
        ]
      }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]
  }
}
`,
    start: "SessionStart",
    compaction: "PreCompact",
    end: "SessionEnd",
    starts: (cwd) =>
      sources.map((source) => ({
        session_id,
        transcript_path: null,
        cwd,
        hook_event_name: "SessionStart",
        model: "gpt-5",
        permission_mode: "default",
        source,
      })),
    beforeCompaction: (cwd, transcript_path) => ({
      session_id,
      turn_id: "turn-1",
      transcript_path,
      cwd,
      hook_event_name: "PreCompact",
      model: "gpt-5",
      trigger: "auto",
    }),
    atEnd: groupedEnd("other"),
    contextOf: groupsOf,
    transcript: [
      { timestamp: "2027-01-31T09:00:00Z", type: "session_meta", payload: { id: session_id, cwd: "/p" } },
      {
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Fix the login." }] },
      },
      {
        type: "response_item",
        payload: {
          type: "message",
          role: "user",
          content: [{ type: "input_text", text: "<environment_context>\n</environment_context>" }],
        },
      },
      {
        type: "response_item",
        payload: {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "The session expires too early." }],
        },
      },
      { type: "event_msg", payload: { type: "token_count", info: null } },
    ],
  },
  {
    id: "cursor",
    file: ".cursor/hooks.json",
    text: `{
  "version": 1,
  "hooks": {
    "afterFileEdit": [{ "command": "./hooks/format.sh" }],
    "sessionStart": [
      {
        "command": "./hooks/mine.sh"
      }
    ]
  }
}
`,
    start: "sessionStart",
    compaction: "preCompact",
    end: "sessionEnd",
    starts: (project) => [
      { ...cursorInput(project), hook_event_name: "sessionStart", is_background_agent: false, composer_mode: "agent" },
    ],
    beforeCompaction: (project, transcript_path) => ({
      ...cursorInput(project),
      transcript_path,
      hook_event_name: "preCompact",
      trigger: "auto",
      context_usage_percent: 85,
      context_tokens: 120_000,
      context_window_size: 128_000,
      message_count: 45,
      messages_to_compact: 30,
      is_first_compaction: true,
    }),
    atEnd: (project, transcript_path) => ({
      ...cursorInput(project),
      transcript_path,
      hook_event_name: "sessionEnd",
      reason: "user_close",
      duration_ms: 45_000,
      is_background_agent: false,
      final_status: "completed",
    }),
    contextOf: (output) => (JSON.parse(output) as Input)["additional_context"],
    transcript: [
      { role: "user", message: { content: [{ type: "text", text: "Fix the login." }] } },
      { role: "assistant", message: { content: [{ type: "text", text: "The session expires too early." }] } },
    ],
  },
];

function cursorInput(project: string): Input {
  return {
    conversation_id: session_id,
    generation_id: "",
    session_id,
    model: "default",
    cursor_version: "2.6.1",
    workspace_roots: [project],
    user_email: "ann@example.com",
    transcript_path: null,
  };
}

/** A home with a store, and functions that run commands there, and hooks as their clients do, but in this process. */
export function hookHome(files: Readonly<Record<string, string | object>> = {}) {
  const home = homeWith(() => files);
  const env = { ...home.env, TOOLPACKS_STORE: path.join(home.directory, "store.db") };
  const toolpacks = (...args: string[]) => runAsProgram(args, { cwd: home.project, env });
  /** Runs the command line of a hook. */
  const runCommand = (command: string, stdin: string, cwd = home.project) =>
    runAsProgram(parseArgs(command).slice(2), { cwd, env, stdin, isTrusted: false });
  /** The commands of an event in a hooks file. With a source or trigger, only those whose matcher matches it, as the clients decide. */
  const commands = (file: string, event: string, subject?: string): readonly string[] => {
    const { hooks } = JSON.parse(home.read(file)) as { hooks: Record<string, readonly Record<string, unknown>[]> };
    const matching = (hooks[event] ?? []).filter(({ matcher }) => {
      if (subject === undefined || typeof matcher !== "string" || matcher === "" || matcher === "*") return true;
      return new RegExp(`^(?:${matcher})$`).test(subject);
    });
    return matching.flatMap((entry) => {
      const handlers = (entry["hooks"] ?? [entry]) as readonly { command: string }[];
      return handlers.map(({ command }) => command);
    });
  };
  /** Our hook of an event. @throws Error if the client would run another number of hooks of ours */
  const ownHook = (file: string, event: string, input: Input = {}): string => {
    const subject = input["source"] ?? input["trigger"];
    const all = commands(file, event, typeof subject === "string" ? subject : undefined);
    const own = all.filter((command) => command.includes(" hook "));
    if (own.length !== 1) throw new Error(`expected one hook, found ${own.length}`);
    return own[0] ?? "";
  };
  return {
    ...home,
    env,
    toolpacks,
    runCommand,
    commands,
    ownHook,
    /** Calls a tool for the project. Returns its text. */
    call: async (tool: string, args: object = {}): Promise<string> => {
      const { code, stdout, stderr } = await toolpacks("call", tool, JSON.stringify(args), "--root", home.project);
      if (code !== 0) throw new Error(`${tool}: ${stderr}`);
      return stdout;
    },
    /** Runs our hook of an event, in the folder of the hooks file as Cursor does. */
    runHook: (file: string, event: string, input: Input) =>
      runCommand(ownHook(file, event, input), JSON.stringify(input), path.dirname(path.join(home.directory, file))),
  };
}
