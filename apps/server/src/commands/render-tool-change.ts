import type { OfferChange, UpstreamReport } from "@toolpacks/upstream";
import { printableText } from "@toolpacks/terminal";
import { diffLines } from "diff";

/** Maximum lines shown of each part of a tool. `toolpacks doctor --json` shows all lines. */
const maxLines = 40;
const maxLineLength = 1_000;
/** Maximum differing lines of one part. A comparison takes time quadratic in their number. */
const maxDifferences = 500;

/** Summarizes in one line what has changed in a tool or prompt since it was accepted. */
export function summarizeToolChange({ kind, name, parts }: OfferChange): string {
  const shown = kind === "prompt" ? `prompt ${name}` : name;
  return parts.length === 0 ? `${shown} is new` : `${shown} has another ${parts.join(" and ")}`;
}

/** Renders the summary, and below it the changed lines: `- before`, `+ now`. */
export function renderToolChange(change: OfferChange): readonly string[] {
  const { parts, before, now } = change;
  const shownParts = parts.length > 0 ? parts : (["description", "schema", "annotations"] as const);
  const lines = shownParts.flatMap((part) => renderPart(before?.[part] ?? "", now[part]));
  return [summarizeToolChange(change), ...lines.map((line) => `    ${line}`)];
}

/** Renders the suspicious findings in a description as one line. */
export function renderToolWarning({ kind, name, findings }: UpstreamReport["warnings"][number]): string {
  return `${kind} ${name} contains ${findings.join(", ")}`;
}

function renderPart(before: string, now: string): readonly string[] {
  const difference = diffLines(splitSentences(before), splitSentences(now), { maxEditLength: maxDifferences });
  if (difference === undefined) return [`(more than ${maxDifferences} lines are different)`];
  const changed = difference
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ value, added }) =>
      value
        .trimEnd()
        .split("\n")
        .map((line) => `${added ? "+" : "-"} ${printableText(line, maxLineLength)}`),
    );
  if (changed.length === 0) return ["(the difference is in invisible characters or near the end)"];
  const more = changed.length - maxLines;
  return more > 0 ? [...changed.slice(0, maxLines), `… and ${more} lines more`] : changed;
}

/** Puts each sentence on its own line, so that an inserted sentence stands out. */
function splitSentences(text: string): string {
  return text === "" ? "" : `${text.replaceAll(/(?<=[.!?]) +/g, "\n")}\n`;
}
