import { quoteName } from "@toolpacks/core";
import { pageFooter } from "../paging/page-footer.ts";
import { renderNamedLines } from "../named-lines.ts";
import type { TextPage } from "./text-page.ts";

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
