import { isObject, ToolError, type Outcome, type Tool, type ToolAccess, type ToolContext } from "@toolpacks/core";

export interface ReadingCall {
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The text of a whole file within the roots.
 *
 * @param at the place of the path, for errors
 * @throws ToolError of `fs_read`; `too_large` for a file that it cuts, `invalid_input` for an image
 */
export async function readFile(path: string, at: string, context: ToolContext): Promise<string> {
  const outcome = await callTool("fs_read", { path }, silent(context));
  if (!outcome.ok) throw failureAt(at, outcome);
  const { files } = outcome.value ?? {};
  const file: unknown = Array.isArray(files) ? files[0] : undefined;
  if (!isObject(file) || typeof file["text"] !== "string")
    throw new ToolError("invalid_input", `${at}: expected a text file, received an image`);
  if (file["more"] !== true) return file["text"];
  const hint = `Use results with fs_read and startLine, endLine for a part of it.`;
  throw new ToolError("too_large", `${at}: the file is longer than fs_read returns at once`, hint);
}

/**
 * The text of a tool's result, as a model reads it.
 *
 * @param at the place of the call, for errors
 * @throws ToolError of the tool; `denied` for a tool that changes something
 */
export async function readResult(reading: ReadingCall, at: string, context: ToolContext): Promise<string> {
  await requireReading(reading, at, context);
  const outcome = await callTool(reading.tool, reading.args, silent(context));
  if (outcome.ok) return outcome.text;
  throw failureAt(at, outcome);
}

/** @throws ToolError that says why the tool cannot be called to read */
export async function requireReading(
  { tool, args = {} }: ReadingCall,
  at: string,
  context: ToolContext,
): Promise<void> {
  const { mutates, input } = await findTool(tool, `${at}.tool`, context);
  if (mutates)
    throw new ToolError("denied", `${at}.tool: ${tool} may change something; expected a tool that only reads`);
  const checked = await input.check(args);
  if (!checked.ok) throw new ToolError("invalid_input", `${at}.args: ${checked.message}`);
}

/**
 * @param at the place that names the tool, for errors
 * @throws ToolError that says why the tool cannot be called
 */
export async function findTool(name: string, at: string, context: ToolContext): Promise<Tool> {
  const found = await accessOf(context).resolve(name);
  if (!("failure" in found)) return found.tool;
  throw new ToolError(found.failure.code, `${at}: ${found.failure.message}`, found.failure.hint);
}

/** Calls a tool, for its whole result. */
export function callTool(name: string, args: object | undefined, context: ToolContext): Promise<Outcome> {
  return accessOf(context).dispatch({ name, args, context: { ...context, resultMode: "full" } });
}

function silent(context: ToolContext): ToolContext {
  return { ...context, progress: async () => {} };
}

function accessOf({ access }: ToolContext): ToolAccess {
  if (access === undefined) throw new Error("prompts call tools only in a call through a dispatcher");
  return access;
}

function failureAt(at: string, { failure }: Extract<Outcome, { ok: false }>): ToolError {
  return new ToolError(failure.code, `${at}: ${failure.message}`, failure.hint);
}
