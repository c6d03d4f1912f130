import { listSchema, quoteName } from "@toolpacks/core";
import { z } from "zod";
import { renderNamedLines, type NamedLine } from "../named-lines.ts";
import { renderSources } from "../sources/render-sources.ts";

export const textPage = listSchema(
  z.object({
    path: z.string(),
    lines: z
      .array(
        z.object({
          line: z.int(),
          text: z.string(),
          groups: z.record(z.string(), z.string()).optional().describe("capture groups by number and name"),
          in: z.string().optional().describe("the definition around a match"),
          context: z.boolean().optional().describe("near a match"),
        }),
      )
      .optional(),
    count: z.int().optional().describe("matching lines, in mode count"),
  }),
).extend({
  total: z.int().describe("matching lines; matches, over lines or with groups; files in mode files"),
  files: z.int().optional().describe("files that match, in mode count"),
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export type TextPage = z.output<typeof textPage>;

/** Renders the lines of each match below the name of its definition, or how many each file has. */
export function renderText(page: TextPage): string {
  const { items, total, files, partial, cursor, hint } = page;
  if (files === undefined) {
    return renderSources(page, ({ lines }) => ({
      lines: renderNamedLines(shownLines(lines ?? [])),
      hits: lines?.filter(({ context }) => context !== true).length ?? 1,
    }));
  }
  const some = items.length > 0 && items.length < files ? `${items.length} of ` : "";
  const bound = partial === true ? "at least " : "";
  const counted = `(${some}${bound}${files} ${files === 1 ? "file" : "files"}, ${total} matching lines)`;
  return [
    ...items.map(({ path, count }) => `${quoteName(path)}: ${count}`),
    files === 0 ? "none" : counted,
    ...(cursor === undefined ? [] : [`next: cursor ${JSON.stringify(cursor)}`]),
    ...(hint === undefined ? [] : [hint]),
  ].join("\n");
}

/** Each line once: matches may span lines, and with groups several may be in one. */
function shownLines(found: readonly NamedLine[]): readonly NamedLine[] {
  return found
    .flatMap((one) => one.text.split("\n").map((text, at) => ({ ...one, line: one.line + at, text })))
    .filter(({ line }, at, all) => line !== all[at - 1]?.line);
}
