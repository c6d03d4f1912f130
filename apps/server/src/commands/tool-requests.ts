import type { ContentBlock, Failure } from "@toolpacks/core";

/** The outcome of a call, as plain JSON. */
export type CallOutcome =
  | { readonly ok: true; readonly value?: unknown; readonly text: string; readonly blocks?: readonly ContentBlock[] }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly value?: unknown;
      readonly blocks?: readonly ContentBlock[];
    };
