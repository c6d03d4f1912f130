import { structuredPatch } from "diff";
import { isObject, maskText } from "@toolpacks/core";
import { printableText } from "@toolpacks/terminal";
import type { FileChange } from "./file-change.ts";
import { editText, parseText } from "./config-text.ts";

const maxLineLength = 300;

/** Renders the change of a file as a diff. Values of variables and headers, and known forms of secrets, are masked. */
export function renderDiff(change: FileChange): readonly string[] {
  const { file, format, before, after } = change;
  const plain = (text: string) => text.replaceAll("\r\n", "\n");
  const { hunks } = structuredPatch(file, file, plain(before), plain(after), "", "", { context: 2 });
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith("\\"));
  // The file has everything on one line. Then the entry says more than the line.
  if (lines.some((line) => line.length > maxLineLength && /^[-+]/.test(line))) return renderEntries(change);
  const secrets = [before, after].flatMap((text) => secretTexts(parseText({ file, format, text })));
  // Commands print a tab as its code.
  return lines.map((line) => printableText(maskLine(line, secrets).replaceAll("\t", "  "), maxLineLength));
}

/** Renders what a person adds to a new file. */
export function renderAddition({ file, format, edits }: FileChange): readonly string[] {
  return editText({ file, format, text: "" }, edits).trimEnd().split("\n");
}

/** Renders the entries that change without the content of those that go, which may have secrets. */
export function renderEntries(change: FileChange): readonly string[] {
  const removed = change.edits.filter(({ value }) => value === undefined);
  const added = change.edits.filter(({ value }) => value !== undefined);
  return [
    ...removed.map(({ at }) => `- ${at.join(".")}`),
    ...(added.length === 0 ? [] : renderAddition({ ...change, edits: added }).map((line) => `+ ${line}`)),
  ];
}

/** The values of variables and headers in a file. */
function secretTexts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(secretTexts);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    /^(env|envs|headers|http_headers)$/.test(key) && isObject(inner)
      ? Object.values(inner)
          .filter((text) => typeof text === "string" && text !== "")
          .map(String)
      : secretTexts(inner),
  );
}

function maskLine(line: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1), "***"), line);
  return `${masked.slice(0, 1)} ${maskText(masked.slice(1))}`;
}
