import { listSchema, quoteName } from "@toolpacks/core";
import { z } from "zod";
import { renderNamedLines } from "../named-lines.ts";
import { pageFooter } from "../paging/page-footer.ts";

export const textPage = listSchema(
  z.object({
    path: z.string(),
    lines: z
      .array(
        z.object({
          line: z.int(),
          text: z.string(),
          in: z.string().optional().describe("the definition around a match"),
          context: z.boolean().optional().describe("near a match"),
        }),
      )
      .optional(),
    count: z.int().optional().describe("matching lines, in mode count"),
  }),
).extend({
  total: z.int().describe("matching lines; files in mode files"),
  files: z.int().optional().describe("files that match, in mode count"),
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export type TextPage = z.output<typeof textPage>;

/** Renders each file's name, a line for each of its matches below the name of its definition, then the totals and hints. */
export function renderText(page: TextPage): string {
  const lines = page.items.flatMap(({ path, lines: found, count }) => {
    if (count !== undefined) return [`${quoteName(path)}: ${count}`];
    return [quoteName(path), ...renderNamedLines(found ?? [])];
  });
  lines.push(...footerOf(page));
  if (page.hint !== undefined) lines.push(page.hint);
  return lines.length === 0 ? "none" : lines.join("\n");
}

function footerOf({ items, total, files, partial, cursor }: TextPage): readonly string[] {
  if (files === undefined) {
    const matches = items.flatMap(({ lines }) => lines?.filter(({ context }) => context !== true) ?? [{}]);
    return pageFooter({ shown: matches.length, total, partial, cursor });
  }
  if (files === 0) return [];
  const some = items.length > 0 && items.length < files ? `${items.length} of ` : "";
  const bound = partial === true ? "at least " : "";
  const counted = `(${some}${bound}${files} ${files === 1 ? "file" : "files"}, ${total} matching lines)`;
  return [counted, ...(cursor === undefined ? [] : [`next: cursor ${JSON.stringify(cursor)}`])];
}
