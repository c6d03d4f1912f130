import { statSync } from "node:fs";
import { hookClients, readSessionEvent, type HookClient, type SessionEvent } from "@toolpacks/client-config";
import { readStdin } from "@toolpacks/command-line";
import { errorText, ToolError, withTimeout } from "@toolpacks/core";
import { type Io, printError, writeOutput } from "@toolpacks/terminal";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { createRuntime } from "../mount/runtime.ts";
import { storeExists } from "../stores/open-store.ts";
import { narrowToRecords } from "./narrow-to-records.ts";

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
  if (io.stdin.isTTY === true) throw new Error("expected the event of a client as JSON on stdin");
  const event = readSessionEvent(client, await readStdin(io, maxInputBytes), io.env);
  if (event === undefined) return;
  const { purpose, project = io.cwd } = event;
  if (statSync(project, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new Error(`the folder of the session does not exist: ${project}`);
  }
  const flags = { ...mount, root: [project], userConfig: false } as const;
  // The config file is searched from the folder of the session.
  const there = { ...io, cwd: project };
  if (purpose !== "start") {
    const args = await stateArguments(client, event, project);
    await callTool(there, flags, { name: "state_save", args });
    if (purpose === "compaction" && client.savedOutput) writeJson(io, client.savedOutput(args.name));
  } else if (storeExists((await readSettings(there, flags)).store)) {
    const args = tokens === undefined ? {} : { tokens: readTokens(tokens) };
    writeJson(io, client.contextOutput(await callTool(there, flags, { name: "memory_brief", args })));
  }
}

/** Calls a tool without a trace. Resolves with its text. @throws ToolError when the call failed */
async function callTool(io: Io, flags: Flags, call: { readonly name: string; readonly args: object }): Promise<string> {
  const options = { io, quiet: "error", recordsTraces: false, narrow: narrowToRecords } as const;
  const { surface, finish } = await createRuntime(flags, options);
  const outcome = await surface.call({ ...call, context: { resultMode: "full" } }).finally(finish);
  if (outcome.ok) return outcome.text;
  const { code, message, hint } = outcome.failure;
  throw new ToolError(code, message, hint);
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
