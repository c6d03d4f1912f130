import { definedOnly } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { narrowToRecords } from "../hooks/narrow-to-records.ts";
import type { Io } from "../io.ts";
import { printJson, printResult } from "../print.ts";
import { printEmpty, requireValue, withUntracedTools } from "./open-tools.ts";

export interface BriefFlags extends Omit<Flags, "tokens"> {
  readonly tokens?: number;
  readonly json?: boolean;
}

interface Briefing {
  readonly parts: readonly unknown[];
}

/** `toolpacks brief`: prints what an agent should know when it begins. */
export async function brief(io: Io, { tokens, json, ...flags }: BriefFlags): Promise<void> {
  const call = { tool: "memory_brief", args: definedOnly({ tokens }) };
  const options = { io, narrow: narrowToRecords };
  const result = await withUntracedTools(flags, (tools) => tools.call<Briefing>(call), options);
  const { parts } = requireValue(result);
  if (json === true) return printJson(io, requireValue(result), 2);
  if (result.ok) printResult(io, result.text);
  if (parts.length === 0) printEmpty(undefined, "memory_remember, issue_create and state_save record something", flags);
}
