import type { ContentBlock } from "./content.ts";

const brand = Symbol.for("toolpacks.Reply");

/** A handler's answer in content blocks (an image, another server's result) in place of a structured value. */
export interface Reply {
  readonly blocks: readonly ContentBlock[];
  /** Goes out as structured content, unchecked, where the caller wants that form. */
  readonly structured?: Readonly<Record<string, unknown>>;
}

/** Makes a `Reply`. A tool that returns images declares `media: true`. */
export function reply(blocks: readonly ContentBlock[], structured?: Readonly<Record<string, unknown>>): Reply {
  return Object.assign({ blocks, ...(structured && { structured }) }, { [brand]: true });
}

export function isReply(value: unknown): value is Reply {
  return value !== null && typeof value === "object" && brand in value;
}
