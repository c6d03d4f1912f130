import type { ContentBlock, ResourceLink } from "./content.ts";
import type { Failure } from "./tool-error.ts";

/**
 * The form of results. Some clients show a model the text, others the structured content, so each is complete.
 * `text`: the compact text. `structured`: structured content, and the same value as JSON text. `both`: structured content and the compact text.
 */
export type ResultsMode = "text" | "structured" | "both";

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
  /** A line for the caller that is not part of the result, such as the new name of a deprecated tool. */
  readonly notice?: string;
  /** The form in which the caller wants the result. Default: the form of the surface. */
  readonly form?: ResultsMode;
}

export interface Failed {
  readonly ok: false;
  readonly failure: Failure;
  /** Content for a model in place of the failure's message. */
  readonly blocks?: readonly ContentBlock[];
  /** The part of the call that succeeded, for calling code. Never sent as structured content. */
  readonly value?: Readonly<Record<string, unknown>>;
}
