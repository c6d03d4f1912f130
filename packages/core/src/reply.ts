import type { ContentBlock, ResourceLink } from "./content.ts";
import type { ResultsMode } from "./outcome.ts";
import type { Failure } from "./tool-error.ts";

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
  /** Set if the call failed; the blocks then describe the failure. Examples: an error of another server, a batch with a failed call. */
  readonly failure?: Failure;
}

/** Creates a `Reply`. A tool that returns images declares `media: true`. */
export function reply(
  blocks: readonly ContentBlock[],
  structured?: Readonly<Record<string, unknown>>,
  links: readonly ResourceLink[] = [],
): Reply {
  const more = { ...(structured && { structured }), ...(links.length > 0 && { links }) };
  return { [brand]: true, blocks, ...more };
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
  return { [brand]: true, blocks, failure, ...(structured && { structured }) };
}

export function isReply(value: unknown): value is Reply {
  return value !== null && typeof value === "object" && brand in value;
}
