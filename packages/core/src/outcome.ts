import { isObject } from "@toolpacks/schema";
import type { Failure } from "./tool-error.ts";

/** A block of MCP result content. Both SDKs accept these shapes. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | ResourceLink
  | { readonly type: "resource"; readonly resource: EmbeddedResource };

export interface ResourceLink {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A resource inside a result: its text, or its bytes in base64. */
export type EmbeddedResource =
  | { uri: string; mimeType?: string; text: string }
  | { uri: string; mimeType?: string; blob: string };

/**
 * The form of results. Some clients show a model the text, others the structured content, so each is complete.
 * `text`: the compact text. `structured`: structured content, and the same value as JSON text. `both`: structured content and the compact text.
 */
export type ResultsMode = "text" | "structured" | "both";

export const resultsModes = ["text", "structured", "both"] as const satisfies readonly ResultsMode[];

/** The result of a call. */
export type Outcome = Success | Failed;

export interface Success {
  readonly ok: true;
  /** The validated result. Absent if the handler returned only blocks. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** The text for a model. */
  readonly text: string;
  /** Content in place of `text`: images, or the blocks of another server. */
  readonly blocks?: readonly ContentBlock[];
  /** Links to the parts that were left out of the result. Sent if there is no structured content. */
  readonly links?: readonly ResourceLink[];
  /** The value before anything was left out of it, for a call with `resultMode: "both"`. */
  readonly fullValue?: Readonly<Record<string, unknown>>;
  /** The handle of the whole result, if rows of it are cut. */
  readonly handle?: string;
  /** A line for the caller that is not part of the result, such as the new name of a deprecated tool. */
  readonly notice?: string;
  /** The form in which the caller wants the result. Default: the form of the surface. */
  readonly form?: ResultsMode;
  /** `_meta` of the result, for the client and not for a model. */
  readonly meta?: ResultMeta;
}

/** `_meta` of a result of another server, such as what its interface shows. */
export type ResultMeta = Readonly<Record<string, unknown>>;

export interface Failed {
  readonly ok: false;
  readonly failure: Failure;
  /** Whether dispatch refused the call, so that its tool did not run. Default false. */
  readonly isRefused?: boolean;
  /** Content for a model in place of the failure's message. */
  readonly blocks?: readonly ContentBlock[];
  /** The part of the call that succeeded, for calling code. Never sent as structured content. */
  readonly value?: Readonly<Record<string, unknown>>;
  readonly meta?: ResultMeta;
}

const brand = Symbol.for("toolpacks.Reply");

/** A handler's result in content blocks, such as an image or the result of another server, in place of a structured value. */
export interface Reply {
  readonly [brand]: true;
  readonly blocks: readonly ContentBlock[];
  /** Structured content, sent without validation if the caller wants that form. */
  readonly structured?: Readonly<Record<string, unknown>>;
  /** Links that are sent if there is no structured content. */
  readonly links?: readonly ResourceLink[];
  /** A line for the caller that is not part of the result. */
  readonly notice?: string;
  /** The form in which the caller wants the result. Default: the form of the surface. */
  readonly form?: ResultsMode;
  readonly meta?: ResultMeta;
  /** Set if the call failed; the blocks then describe the failure. Examples: an error of another server, a batch with a failed call. */
  readonly failure?: Failure;
}

/** Creates a `Reply`. A tool that returns images declares `media: true`. */
export function reply(
  blocks: readonly ContentBlock[],
  structured?: Readonly<Record<string, unknown>>,
  links?: readonly ResourceLink[],
): Reply {
  return { [brand]: true, blocks, structured, links };
}

/**
 * Creates a `Reply` for a failed call. A model reads the blocks in place of the failure's message.
 *
 * @param structured the part of the call that succeeded, for calling code
 */
export function failedReply(
  blocks: readonly ContentBlock[],
  failure: Failure,
  structured?: Readonly<Record<string, unknown>>,
): Reply {
  return { [brand]: true, blocks, failure, structured };
}

export function isReply(value: unknown): value is Reply {
  return isObject(value) && brand in value;
}

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
  const meta = outcome.meta && { _meta: { ...outcome.meta } };
  if (mode === "text" || value === undefined || blocks.some(({ type }) => type !== "text")) {
    return { content: [...blocks, ...notice, ...links], ...meta };
  }
  const shown = mode === "both" ? blocks : [text(JSON.stringify(value))];
  return { content: [...shown, ...notice], structuredContent: { ...value }, ...meta };
}

/** Renders a failure as `code: message`, with the hint on the next line. */
export function renderFailure({ code, message, hint }: Failure): string {
  return hint === undefined ? `${code}: ${message}` : `${code}: ${message}\n${hint}`;
}

/** An error result has no structured content: 1.x clients validate it against the output schema and reject it. */
function failureResult({ failure, blocks, value, meta }: Failed): CallToolResult {
  return {
    content: [...(blocks ?? [text(renderFailure(failure))])],
    isError: true,
    _meta: { ...meta, "toolpacks/error": { ...failure }, ...(value && { "toolpacks/result": value }) },
  };
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}
