import type { Pack, Tool } from "@toolpacks/core";
import { walkSchema } from "../schema-walk.ts";

const maxBytes = 2048;

/** Control, format (bidirectional, zero-width, tag), private and unpaired characters, and variation selectors. */
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;

/**
 * Checks that every tool and every input field, at any depth, has a description of at most 2 KB, without characters that
 * a reviewer would not see.
 */
export function descriptionProblems(pack: Pack, tools: readonly Tool[]): readonly string[] {
  return [
    ...textProblems(`pack ${pack.name}: description`, pack.description),
    ...(pack.instructions === undefined ? [] : textProblems(`pack ${pack.name}: instructions`, pack.instructions)),
    ...tools.flatMap((tool) => [
      ...textProblems(`${tool.name}: description`, tool.description),
      ...tool.keywords.flatMap((keyword) => textProblems(`${tool.name}: keyword`, keyword)),
      ...fieldProblems(tool),
    ]),
  ];
}

function fieldProblems(tool: Tool): readonly string[] {
  const problems: string[] = [];
  const described = new Set<string>();
  const fields = new Set<string>();
  for (const { schema, path, property } of walkSchema(tool.input.full())) {
    const text = schema["description"];
    if (property !== undefined) fields.add(path);
    if (typeof text !== "string") continue;
    described.add(path);
    problems.push(...textProblems(`${tool.name}: ${path === "" ? "args" : path}: description`, text));
  }
  for (const { schema, path } of walkSchema(tool.output?.json() ?? {})) {
    const text = schema["description"];
    if (typeof text === "string") problems.push(...textProblems(`${tool.name}: result ${path}: description`, text));
  }
  const missing = [...fields].filter((path) => !described.has(path));
  return [...problems, ...missing.map((path) => `${tool.name}: ${path}: description: missing`)];
}

function textProblems(place: string, text: string): readonly string[] {
  if (text.trim() === "") return [`${place}: missing`];
  const problems: string[] = [];
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) problems.push(`${place}: ${bytes} bytes, at most ${maxBytes}`);
  const hidden = [...text.replaceAll("\n", "").matchAll(unprintable)].map(([character]) => codePoint(character));
  if (hidden.length > 0) problems.push(`${place}: unprintable ${[...new Set(hidden)].join(", ")}`);
  return problems;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
