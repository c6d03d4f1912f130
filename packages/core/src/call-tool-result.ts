import type { ContentBlock } from "./content.ts";
import type { Failed, Outcome, ResultsMode } from "./outcome.ts";
import type { Failure } from "./tool-error.ts";

export const resultsModes = ["text", "structured", "both"] as const satisfies readonly ResultsMode[];

/** An MCP tool result that both SDKs accept. */
export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  [field: string]: unknown;
}

/**
 * Converts an outcome to an MCP result. A result with an image or another block that is not text has no structured content.
 *
 * @param results the form of results whose caller asked for no other form
 */
export function toCallToolResult(outcome: Outcome, results: ResultsMode): CallToolResult {
  if (!outcome.ok) return failureResult(outcome);
  const notice = outcome.notice === undefined ? [] : [text(outcome.notice)];
  const blocks = outcome.blocks ?? [text(outcome.text)];
  const { value, links = [], form: mode = results } = outcome;
  if (mode === "text" || value === undefined || blocks.some(({ type }) => type !== "text")) {
    return { content: [...blocks, ...notice, ...links] };
  }
  const shown = mode === "both" ? blocks : [text(JSON.stringify(value))];
  return { content: [...shown, ...notice], structuredContent: { ...value } };
}

/** Renders a failure as `code: message`, with the hint on the next line. */
export function renderFailure({ code, message, hint }: Failure): string {
  return hint === undefined ? `${code}: ${message}` : `${code}: ${message}\n${hint}`;
}

/** An error result has no structured content: 1.x clients validate it against the output schema and reject it. */
function failureResult({ failure, blocks, value }: Failed): CallToolResult {
  return {
    content: [...(blocks ?? [text(renderFailure(failure))])],
    isError: true,
    _meta: { "toolpacks/error": { ...failure }, ...(value && { "toolpacks/result": value }) },
  };
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}
