import { isObject, ToolError, type Outcome, type ToolContext } from "@toolpacks/core";

/** A call of a tool that only reads. */
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
  const outcome = await call({ tool: "fs_read", args: { path } }, context);
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
  const outcome = await call(reading, context);
  if (outcome.ok) return outcome.text;
  throw failureAt(at, outcome);
}

/** @throws ToolError that says why the tool cannot be called to read */
export async function requireReading(
  { tool, args = {} }: ReadingCall,
  at: string,
  context: ToolContext,
): Promise<void> {
  const found = await context.access?.resolve(tool);
  if (found === undefined) return;
  if ("failure" in found)
    throw new ToolError(found.failure.code, `${at}.tool: ${found.failure.message}`, found.failure.hint);
  if (!found.tool.mutates) {
    const checked = await found.tool.input.check(args);
    if (checked.ok) return;
    throw new ToolError("invalid_input", `${at}.args: ${checked.message}`);
  }
  throw new ToolError("denied", `${at}.tool: ${tool} may change something; expected a tool that only reads`);
}

async function call({ tool, args = {} }: ReadingCall, context: ToolContext): Promise<Outcome> {
  const { access } = context;
  if (access === undefined) throw new Error("prompts read files and results only in a call through a dispatcher");
  return access.dispatch({ name: tool, args, context: { ...context, resultMode: "full", progress: async () => {} } });
}

function failureAt(at: string, { failure }: Extract<Outcome, { ok: false }>): ToolError {
  return new ToolError(failure.code, `${at}: ${failure.message}`, failure.hint);
}
