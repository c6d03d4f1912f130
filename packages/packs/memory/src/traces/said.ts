import type { Outcome } from "@toolpacks/core";

/** Three times what a trace shows: spaces go, and what is behind the cut tells a secret that begins before it. */
const longest = 1_200;

/** The beginning of what a caller read of an outcome. */
export function said(outcome: Outcome): string {
  const text = outcome.ok ? outcome.text : outcome.failure.message;
  const shown = text !== "" ? text : (outcome.blocks ?? []).map(blockText).join(" ");
  return shown.slice(0, longest);
}

function blockText(block: { readonly type: string; readonly text?: unknown }): string {
  return typeof block.text === "string" ? block.text.slice(0, longest) : `[${block.type}]`;
}
