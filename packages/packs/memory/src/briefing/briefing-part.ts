import { maskText, type ToolContext } from "@toolpacks/core";
import { cutText } from "../cut-text.ts";

/** A part of a briefing: a title, and lines that are left out from the end if the budget is too small. */
export interface BriefingPart {
  readonly title: string;
  readonly lines: readonly string[];
  /** `first`: its lines come before those of all other parts, up to half of the budget. `last`: after them, in at least a quarter of it. */
  readonly comes?: "first" | "last";
  /** What is left out when this many lines are shown, with the tool that shows it. Undefined: nothing. */
  readonly leftOut: (shownLines: number) => string | undefined;
}

interface RecordLines {
  readonly title: string;
  /** Lines of the first records. */
  readonly lines: readonly string[];
  readonly total: number;
  /** What the records are called: `ready issues`. */
  readonly noun: string;
  /** The tool that lists all of them. */
  readonly tool: string;
  readonly comes?: "first" | "last";
}

/** The part for a list with one line per record. None if there is no record. */
export function listPart({ total, noun, tool, ...part }: RecordLines): readonly BriefingPart[] {
  if (part.lines.length === 0) return [];
  return [{ ...part, leftOut: (shown) => (total > shown ? `${total - shown} ${noun} (${tool})` : undefined) }];
}

/** How much of a text is read for one line. A secret that the cut of the line would split is masked before the cut. */
const readAhead = 4;

/** A text of a record for a briefing: on one line, cut, and without secrets. */
export function briefText(text: string, maxLength: number): string {
  return cutText(maskText(text.slice(0, maxLength * readAhead)), maxLength);
}

/** The name of a tool as the caller knows it. */
export function shownTool({ toolNames }: ToolContext, name: string): string {
  return toolNames?.shown(name) ?? name;
}
