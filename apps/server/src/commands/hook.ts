import { statSync } from "node:fs";
import { hookClients, readSessionEvent, type HookClient, type SessionEvent } from "@toolpacks/client-config";
import { errorText, withTimeout } from "@toolpacks/core";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { narrowToRecords } from "../hooks/narrow-to-records.ts";
import { type Io, printError, writeOutput } from "@toolpacks/terminal";
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
    const known = hookClients.map((one) => one.id).join(", ");
    if (client === undefined) throw new Error(`unknown client ${JSON.stringify(id)}; expected one of ${known}`);
    await withTimeout(answer(io, client, flags), { ms: timeoutMs, onTimeout });
  } catch (error) {
    printError(io, `toolpacks: hook: ${errorText(error)}`);
  }
}

async function answer(io: Io, client: HookClient, { tokens, ...mount }: HookFlags): Promise<void> {
  const event = readSessionEvent(client, await readInput(io), io.env);
  if (event === undefined) return;
  const { purpose, project = io.cwd } = event;
  if (statSync(project, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`the folder of the session does not exist: ${project}`);
  }
  const flags = { ...mount, root: [project], userConfig: false } as const;
  // The config file is searched from the folder of the session.
  const there = { ...io, cwd: project };
  const callTool = ({ tool, args }: ToolCall) =>
    withUntracedTools(flags, (tools) => tools.call({ tool, args }), { io: there, narrow: narrowToRecords });
  if (purpose !== "start") {
    const args = await stateArguments(client, event, project);
    requireValue(await callTool({ tool: "state_save", args }));
    if (purpose === "compaction" && client.savedOutput) writeJson(io, client.savedOutput(args.name));
    return;
  }
  if (!storeExists((await readSettings(there, flags)).store)) return;
  const args = tokens === undefined ? {} : { tokens: readTokens(tokens) };
  const result = await callTool({ tool: "memory_brief", args });
  requireValue(result);
  writeJson(io, client.contextOutput(result.ok ? result.text : ""));
}

async function readInput({ stdin }: Io): Promise<string> {
  if (stdin.isTTY === true) throw new Error("expected the event of a client as JSON on stdin");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxInputBytes) throw new Error(`stdin: expected at most ${maxInputBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function stateArguments({ id: client }: HookClient, event: SessionEvent, project: string) {
  const { sessionState } = await import("@toolpacks/memory/transfer");
  const { purpose, cause, session, transcript } = event;
  const moment = purpose === "end" ? "the end" : "a compaction";
  return sessionState({ client, session, transcript, before: `${moment} (${cause})`, project });
}

function readTokens(text: string): number {
  const tokens = Number(text);
  if (Number.isInteger(tokens) && tokens >= minTokens && tokens <= maxTokens) return tokens;
  throw new Error(`--tokens: expected a whole number from ${minTokens} to ${maxTokens}`);
}

/** JSON on one line. The client parses it, so nothing is escaped for a terminal. */
function writeJson(io: Io, value: object): void {
  writeOutput(io, `${JSON.stringify(value)}\n`);
}
