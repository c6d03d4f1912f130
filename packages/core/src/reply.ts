import type { ContentBlock, ResourceLink } from "./content.ts";
import type { Failure } from "./tool-error.ts";

const brand = Symbol.for("toolpacks.Reply");

/** A handler's answer in content blocks (an image, another server's result) in place of a structured value. */
export interface Reply {
  readonly [brand]: true;
  readonly blocks: readonly ContentBlock[];
  /** Goes out as structured content, unchecked, where the caller wants that form. */
  readonly structured?: Readonly<Record<string, unknown>>;
  /** Go out where no structured content does. */
  readonly links?: readonly ResourceLink[];
  /** A line for the caller beside the result, which is not part of the result. */
  readonly notice?: string;
  /** The call failed, and the blocks say how: another server's error, a batch with a failed part. */
  readonly failure?: Failure;
}

/** Makes a `Reply`. A tool that returns images declares `media: true`. */
export function reply(
  blocks: readonly ContentBlock[],
  structured?: Readonly<Record<string, unknown>>,
  links: readonly ResourceLink[] = [],
): Reply {
  const more = { ...(structured && { structured }), ...(links.length > 0 && { links }) };
  return { [brand]: true, blocks, ...more };
}

/**
 * Makes a `Reply` to a call that failed, whose blocks a model reads in place of the failure's message.
 *
 * @param structured what succeeded in the call, for code that makes it
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
