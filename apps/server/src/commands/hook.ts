import { statSync } from "node:fs";
import path from "node:path";
import { errorText, isObject } from "@toolpacks/core";
import { writeStdout } from "@toolpacks/terminal";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { hookClients, type HookClient } from "@toolpacks/client-config";
import { narrowToRecords } from "../hooks/narrow-to-records.ts";
import { processIo } from "../io.ts";
import { printError } from "../print.ts";
import { storeExists } from "../stores/open-store.ts";
import { requireValue, withUntracedTools } from "./open-tools.ts";

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
export async function hook(id: string, flags: HookFlags): Promise<void> {
  const timer = setTimeout(() => {
    printError(`toolpacks: hook: timed out after ${timeoutMs / 1_000} s`);
    process.exit(0);
  }, timeoutMs);
  timer.unref();
  try {
    const client = hookClients.find((one) => one.id === id);
    if (client === undefined) throw new Error(`unknown client ${JSON.stringify(id)}; expected one of ${clientIds}`);
    await answer(client, await readInput(), flags);
  } catch (error) {
    printError(`toolpacks: hook: ${errorText(error)}`);
  }
  process.exitCode = 0;
}

const clientIds = hookClients.map(({ id }) => id).join(", ");

type Input = Readonly<Record<string, unknown>>;

async function readInput(): Promise<Input> {
  if (process.stdin.isTTY) throw new Error("expected the event of a client as JSON on stdin");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxInputBytes) throw new Error(`stdin: expected at most ${maxInputBytes} bytes`);
    chunks.push(chunk);
  }
  const input: unknown = JSON.parse(Buffer.concat(chunks).toString());
  if (!isObject(input)) throw new Error("stdin: expected a JSON object");
  return input;
}

async function answer(client: HookClient, input: Input, flags: HookFlags): Promise<void> {
  // Cursor can also run the hooks of Claude Code. Cursor's own hooks file is the one to use there.
  if (client.id !== "cursor" && input["cursor_version"] !== undefined) return;
  const { hook_event_name: event } = input;
  const { start, compaction, end } = client.events;
  if (event !== start && event !== compaction && event !== end) {
    const expected = `${start}, ${compaction} or ${end}`;
    throw new Error(`hook_event_name: expected ${expected}, received ${JSON.stringify(event)}`);
  }
  const project = enterProject(client.projectOf(input, process.env));
  const { tokens, ...mount } = flags;
  const own = { ...mount, root: [project], userConfig: false } as const;
  if (event !== start) return save(client, input, own);
  if (!storeExists((await readSettings(processIo(), own)).store)) return;
  const args = tokens === undefined ? {} : { tokens: readTokens(tokens) };
  const text = await withTools(own, async (tools) => {
    const result = await tools.call({ tool: "memory_brief", args });
    requireValue(result);
    return result.ok ? result.text : "";
  });
  writeJson(client.contextOutput(text));
}

/** Saves a state before a compaction, or at the end of a session. */
async function save(client: HookClient, input: Input, flags: Flags): Promise<void> {
  const { sessionState } = await import("../hooks/session-state.ts");
  const isEnd = input["hook_event_name"] === client.events.end;
  const cause = textField(input, isEnd ? "reason" : "trigger") ?? "unknown";
  const args = await sessionState({
    client: client.id,
    session: textField(input, "session_id") ?? textField(input, "conversation_id") ?? "unknown",
    transcript: textField(input, "transcript_path"),
    before: `${isEnd ? "the end" : "a compaction"} (${cause})`,
  });
  requireValue(await withTools(flags, (tools) => tools.call({ tool: "state_save", args })));
  if (!isEnd && client.savedOutput) writeJson(client.savedOutput(args.name));
}

function withTools<T>(flags: Flags, work: Parameters<typeof withUntracedTools<T>>[1]): Promise<T> {
  return withUntracedTools(flags, work, { narrow: narrowToRecords });
}

/** Makes the folder of the session the current one, because the config file is searched from there. */
function enterProject(named: unknown): string {
  const folder = typeof named === "string" && path.isAbsolute(named) ? named : process.cwd();
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`the folder of the session does not exist: ${folder}`);
  }
  process.chdir(folder);
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
function writeJson(value: object): void {
  writeStdout(`${JSON.stringify(value)}\n`);
}
