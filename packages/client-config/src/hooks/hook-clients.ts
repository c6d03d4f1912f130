import path from "node:path";
import { folderFrom, joinPath, type Machine } from "../machine.ts";

/** A handler or a group of handlers in a client's hooks file. */
type HookEntry = Readonly<Record<string, unknown>>;

/** When a hook runs: at the start of a session it shows a briefing, before a compaction and at the end of a session it saves a state. */
export type HookPurpose = "start" | "compaction" | "end";

/** A client that runs commands at events of a session. */
export interface HookClient {
  /** The name on the command line. */
  readonly id: string;
  readonly name: string;
  /** The user's file with hooks. */
  readonly file: (machine: Machine) => string;
  /** The events in the file. */
  readonly events: Readonly<Record<HookPurpose, string>>;
  /** The entry that runs a command at each occurrence of an event. Without a matcher, it runs for every source of a session. */
  readonly entry: (command: string) => HookEntry;
  /** The commands in an entry. */
  readonly commands: (entry: unknown) => readonly string[];
  /** Keys that the file must have besides `hooks`. */
  readonly requiredKeys: HookEntry;
  /** What the user must know: an event that the client lacks, or a step of its own. */
  readonly notes: readonly string[];
  /** The folder of the session's project. Undefined: the input has none. */
  readonly projectOf: (input: HookEntry, environment: Machine["environment"]) => unknown;
  /** The output that adds a text to the context of the model. */
  readonly contextOutput: (text: string) => object;
  /** The output of the hook before compaction, after a state was saved. Undefined: none. */
  readonly savedOutput?: (state: string) => object;
}

/** Time that a client waits for a hook, in seconds. The hook ends itself earlier. */
export const clientTimeoutSeconds = 15;

const sessionEvents = { start: "SessionStart", compaction: "PreCompact", end: "SessionEnd" } as const;

/** The form of Claude Code, which Codex has too: groups with a matcher and handlers. */
const groupedHooks = {
  entry: (command: string) => ({ hooks: [{ type: "command", command, timeout: clientTimeoutSeconds }] }),
  commands: (entry: unknown) => listOf(fieldOf(entry, "hooks")).flatMap(commandOf),
  requiredKeys: {},
  contextOutput: (additionalContext: string) => ({
    hookSpecificOutput: { hookEventName: sessionEvents.start, additionalContext },
  }),
};

/** The clients whose hooks can be set. To add a client, add an entry. */
export const hookClients: readonly HookClient[] = [
  {
    ...groupedHooks,
    id: "claude-code",
    name: "Claude Code",
    file: (machine) => joinPath(machine, folderFrom(machine, "CLAUDE_CONFIG_DIR", ".claude"), "settings.json"),
    events: sessionEvents,
    notes: [],
    projectOf: (input, { CLAUDE_PROJECT_DIR: project }) => project || input["cwd"],
  },
  {
    ...groupedHooks,
    id: "codex",
    name: "Codex",
    file: (machine) => joinPath(machine, folderFrom(machine, "CODEX_HOME", ".codex"), "hooks.json"),
    events: sessionEvents,
    notes: ["Codex runs new hooks only after you have trusted them: start codex and enter /hooks."],
    projectOf: (input) => input["cwd"],
  },
  {
    id: "cursor",
    name: "Cursor",
    file: (machine) => joinPath(machine, machine.home, ".cursor", "hooks.json"),
    events: { start: "sessionStart", compaction: "preCompact", end: "sessionEnd" },
    entry: (command) => ({ command, timeout: clientTimeoutSeconds }),
    commands: commandOf,
    requiredKeys: { version: 1 },
    notes: [
      "Cursor has no hook after a compaction and none when a conversation is resumed: there, ask the agent to call memory_brief.",
    ],
    projectOf: (input, { CURSOR_PROJECT_DIR: project }) => project || listOf(input["workspace_roots"])[0],
    contextOutput: (text) => ({ additional_context: text }),
    savedOutput: (state) => ({
      user_message: `toolpacks saved the state ${JSON.stringify(state)}. Ask the agent to call memory_brief to go on from it.`,
    }),
  },
];

/** The command of a handler, if it is one. */
export function commandOf(handler: unknown): readonly string[] {
  const command = fieldOf(handler, "command");
  return typeof command === "string" ? [command] : [];
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as HookEntry)[key] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a command in a hooks file runs the hook of this program for a client. */
export function isOurHook(command: string, { id }: Pick<HookClient, "id">): boolean {
  const at = command.search(new RegExp(`\\shook ${id}(?=\\s|$)`));
  if (at < 0) return false;
  const [program = ""] = /(?:'[^']*'|"[^"]*"|\S)+$/.exec(command.slice(0, at)) ?? [];
  const name = path.posix.basename(program.replaceAll(/['"]/g, "").replaceAll("\\", "/"));
  return /^(?:toolpacks(?:@.*|\.\w+)?|cli\.js)$/.test(name);
}
