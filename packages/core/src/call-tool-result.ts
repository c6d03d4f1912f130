import type { ContentBlock } from "./content.ts";
import type { Failed, Outcome } from "./interceptor.ts";
import type { Failure } from "./tool-error.ts";

/**
 * The form of results. Clients differ in which of the two a model sees, so each is enough alone.
 * `text`: the compact rendering. `structured`: structured content, and the same as JSON text for clients that show
 * text. `both`: structured content and the compact rendering.
 */
export type ResultsMode = "text" | "structured" | "both";

export const resultsModes = ["text", "structured", "both"] as const satisfies readonly ResultsMode[];

/** An MCP tool result that both SDKs accept. */
export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  [field: string]: unknown;
}

/** Puts an outcome on the wire. Images and other blocks never stand beside structured content. */
export function toCallToolResult(outcome: Outcome, mode: ResultsMode): CallToolResult {
  if (!outcome.ok) return failureResult(outcome);
  const notice = outcome.notice === undefined ? [] : [text(outcome.notice)];
  const blocks = outcome.blocks ?? [text(outcome.text)];
  const { value, links = [] } = outcome;
  if (mode === "text" || value === undefined || blocks.some(({ type }) => type !== "text")) {
    return { content: [...blocks, ...notice, ...links] };
  }
  const shown = mode === "both" ? blocks : [text(JSON.stringify(value))];
  return { content: [...shown, ...notice], structuredContent: { ...value } };
}

/** `code: message`, and the hint on a line of its own. */
export function renderFailure({ code, message, hint }: Failure): string {
  return hint === undefined ? `${code}: ${message}` : `${code}: ${message}\n${hint}`;
}

/** Never with structured content: 1.x clients check that of an error against the output schema too, and reject it. */
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
