import { statSync } from "node:fs";
import path from "node:path";
import { hookClients, type HookClient } from "@toolpacks/client-config";
import { errorText, isObject, withTimeout } from "@toolpacks/core";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { narrowToRecords } from "../hooks/narrow-to-records.ts";
import type { Io } from "../io.ts";
import { printError, writeOutput } from "../print.ts";
import { storeExists } from "../stores/open-store.ts";
import { requireValue, withUntracedTools, type ToolCall } from "./open-tools.ts";

export interface HookFlags extends Omit<Flags, "tokens"> {
  readonly tokens?: string;
}

/** Time for the whole hook, in ms. The client waits longer, so that a slow store delays a session and does not fail it. */
const timeoutMs = 8_000;
const maxInputBytes = 1_048_576;
const minTokens = 200;
/** Maximum tokens of a briefing. A client puts larger outputs into a file. */
const maxTokens = 2_000;

/**
 * `toolpacks hook <client>`: answers an event of a client's session, which stdin describes. At the start of a session, it prints a briefing; before a
 * compaction and at the end, it saves a state. It always exits with code 0: another code would show an error to the user, or prevent the compaction.
 */
export async function hook(io: Io, flags: HookFlags, id = ""): Promise<void> {
  const onTimeout = () => {
    throw new Error(`timed out after ${timeoutMs / 1_000} s`);
  };
  try {
    const client = hookClients.find((one) => one.id === id);
    if (client === undefined) throw new Error(`unknown client ${JSON.stringify(id)}; expected one of ${clientIds}`);
    await withTimeout(
      readInput(io).then((input) => answer(io, { client, input, flags })),
      { ms: timeoutMs, onTimeout },
    );
  } catch (error) {
    printError(io, `toolpacks: hook: ${errorText(error)}`);
  }
}

const clientIds = hookClients.map(({ id }) => id).join(", ");

type Input = Readonly<Record<string, unknown>>;

async function readInput({ stdin }: Io): Promise<Input> {
  if (stdin.isTTY === true) throw new Error("expected the event of a client as JSON on stdin");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxInputBytes) throw new Error(`stdin: expected at most ${maxInputBytes} bytes`);
    chunks.push(chunk);
  }
  const input: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (!isObject(input)) throw new Error("stdin: expected a JSON object");
  return input;
}

/** An event of a client's session. */
interface SessionEvent<F = HookFlags> {
  readonly client: HookClient;
  readonly input: Input;
  readonly flags: F;
}

async function answer(io: Io, { client, input, flags }: SessionEvent): Promise<void> {
  // Cursor can also run the hooks of Claude Code. Cursor's own hooks file is the one to use there.
  if (client.id !== "cursor" && input["cursor_version"] !== undefined) return;
  const { hook_event_name: event } = input;
  const { start, compaction, end } = client.events;
  if (event !== start && event !== compaction && event !== end) {
    const expected = `${start}, ${compaction} or ${end}`;
    throw new Error(`hook_event_name: expected ${expected}, received ${JSON.stringify(event)}`);
  }
  // The config file is searched from the folder of the session.
  const there = { ...io, cwd: projectOf(io, client.projectOf(input, io.env)) };
  const { tokens, ...mount } = flags;
  const own = { ...mount, root: [there.cwd], userConfig: false } as const;
  if (event !== start) return save(there, { client, input, flags: own });
  if (!storeExists((await readSettings(there, own)).store)) return;
  const args = tokens === undefined ? {} : { tokens: readTokens(tokens) };
  const result = await callTool(there, own, { tool: "memory_brief", args });
  requireValue(result);
  writeJson(io, client.contextOutput(result.ok ? result.text : ""));
}

/** Saves a state before a compaction, or at the end of a session. */
async function save(io: Io, { client, input, flags }: SessionEvent<Flags>): Promise<void> {
  const { sessionState } = await import("../hooks/session-state.ts");
  const isEnd = input["hook_event_name"] === client.events.end;
  const cause = textField(input, isEnd ? "reason" : "trigger") ?? "unknown";
  const args = await sessionState({
    client: client.id,
    session: textField(input, "session_id") ?? textField(input, "conversation_id") ?? "unknown",
    transcript: textField(input, "transcript_path"),
    before: `${isEnd ? "the end" : "a compaction"} (${cause})`,
    project: io.cwd,
  });
  requireValue(await callTool(io, flags, { tool: "state_save", args }));
  if (!isEnd && client.savedOutput) writeJson(io, client.savedOutput(args.name));
}

function callTool(io: Io, flags: Flags, call: ToolCall) {
  return withUntracedTools(flags, (tools) => tools.call(call), { io, narrow: narrowToRecords });
}

/** The folder of the session: the one that the client names, else the current one. */
function projectOf({ cwd }: Io, named: unknown): string {
  const folder = typeof named === "string" && path.isAbsolute(named) ? named : cwd;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`the folder of the session does not exist: ${folder}`);
  }
  return folder;
}

function readTokens(text: string): number {
  const tokens = Number(text);
  if (Number.isInteger(tokens) && tokens >= minTokens && tokens <= maxTokens) return tokens;
  throw new Error(`--tokens: expected a whole number from ${minTokens} to ${maxTokens}`);
}

function textField(input: Input, name: string): string | undefined {
  const value = input[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** JSON on one line. The client parses it, so nothing is escaped for a terminal. */
function writeJson(io: Io, value: object): void {
  writeOutput(io, `${JSON.stringify(value)}\n`);
}
