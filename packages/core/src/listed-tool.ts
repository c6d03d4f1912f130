import type { ResultsMode } from "./outcome.ts";
import type { JsonSchema } from "@toolpacks/schema";
import type { Tool } from "./tool.ts";

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Maximum length of a description. Clients cut or reject longer ones, which other servers may have. */
const maxDescriptionLength = 2_048;

/** Describes a tool for `tools/list`. The output schema is listed only if results have structured content. */
export function listTool(tool: Tool, results: ResultsMode): ListedTool {
  return {
    name: tool.name,
    description: tool.description.slice(0, maxDescriptionLength),
    inputSchema: tool.input.json(),
    ...(listsOutput(tool, results) && { outputSchema: tool.output.json() }),
    annotations: annotate(tool),
    ...(tool.meta && { _meta: tool.meta }),
  };
}

export function listsOutput(tool: Tool, results: ResultsMode): tool is Tool & { output: NonNullable<Tool["output"]> } {
  return results !== "text" && !tool.media && tool.output !== undefined;
}

export function annotate({ mutates, effects }: Tool): ToolAnnotations {
  return {
    readOnlyHint: !mutates,
    destructiveHint: mutates && (effects.destructive ?? true),
    idempotentHint: effects.idempotent ?? !mutates,
    openWorldHint: effects.openWorld ?? false,
  };
}
