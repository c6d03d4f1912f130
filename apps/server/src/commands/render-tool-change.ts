import type { UpstreamReport } from "@toolpacks/upstream";
import { diffLines } from "diff";

type Change = UpstreamReport["changes"][number];

/** Of each part of a tool. All of it is in the answer of `toolpacks doctor --json`. */
const maxLines = 40;
const maxLineLength = 1_000;
const indent = "    ";

/** What has changed of a tool or prompt since it was accepted, in a few words. */
export function summarizeToolChange({ kind, name, parts }: Change): string {
  const shown = `${kind === "prompt" ? "prompt " : ""}${name}`;
  return parts.length === 0 ? `${shown} is new` : `${shown} has another ${parts.join(" and ")}`;
}

/** The same, and below it the lines that are others now: `- before`, `+ now`. */
export function renderToolChange(change: Change): readonly string[] {
  const { parts, before, now } = change;
  const told = parts.length > 0 ? parts : (["description", "schema", "annotations"] as const);
  const lines = told.flatMap((part) => renderPart(before?.[part] ?? "", now[part]));
  return [summarizeToolChange(change), ...lines.map((line) => `${indent}${line}`)];
}

/** What is suspicious in a description, in a line. */
export function renderToolWarning({ kind, name, findings }: UpstreamReport["warnings"][number]): string {
  return `${kind} ${name} contains ${findings.join(", ")}`;
}

function renderPart(before: string, now: string): readonly string[] {
  const changed = diffLines(asLines(before), asLines(now)).flatMap(({ value, added, removed }) =>
    added || removed
      ? value
          .trimEnd()
          .split("\n")
          .map((line) => `${added ? "+" : "-"} ${clip(line)}`)
      : [],
  );
  if (changed.length === 0) return ["(the difference is in characters that nobody sees, or far behind)"];
  const more = changed.length - maxLines;
  return [...changed.slice(0, maxLines), ...(more > 0 ? [`… and ${more} lines more`] : [])];
}

/** A sentence to a line, so that one that was slipped in stands out. */
function asLines(text: string): string {
  return text === "" ? "" : `${text.replaceAll(/(?<=[.!?]) +/g, "\n")}\n`;
}

function clip(line: string): string {
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}… (${line.length} characters)` : line;
}
