import type { Outcome } from "@toolpacks/core";

/** Three times the length in a trace: later steps remove spaces, and check some characters after the cut for secrets. */
const maxLength = 1_200;

/** The beginning of the text that a caller read of an outcome. */
export function outcomePreview(outcome: Outcome): string {
  const text = outcome.ok ? outcome.text : outcome.failure.message;
  const shown = text !== "" ? text : (outcome.blocks ?? []).map(blockText).join(" ");
  return shown.slice(0, maxLength);
}

function blockText(block: { readonly type: string; readonly text?: unknown }): string {
  return typeof block.text === "string" ? block.text.slice(0, maxLength) : `[${block.type}]`;
}
