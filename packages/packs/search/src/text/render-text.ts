import { quoteName } from "@toolpacks/core/roots";
import type { TextPage } from "./text-page.ts";

/** Renders each file's name, a line for each of its matches with its definition, then the totals and hints. */
export function renderText(page: TextPage): string {
  const lines = page.items.flatMap(({ path, lines: found, count }) => {
    if (count !== undefined) return [`${quoteName(path)}: ${count}`];
    if (found === undefined) return [quoteName(path)];
    return [
      quoteName(path),
      ...found.map(({ line, text, in: around, context }) => {
        const where = around === undefined ? line : `${line} ${around}`;
        return `${where}${context === true ? "-" : ":"} ${text}`;
      }),
    ];
  });
  const rest = restOf(page);
  if (rest !== undefined) lines.push(rest);
  if (page.cursor !== undefined) lines.push(`next: cursor ${JSON.stringify(page.cursor)}`);
  if (page.hint !== undefined) lines.push(page.hint);
  return lines.length === 0 ? "none" : lines.join("\n");
}

function restOf({ items, total, files, partial, cursor }: TextPage): string | undefined {
  const bound = partial === true ? "at least " : "";
  if (files !== undefined) return `(${items.length} of ${bound}${files} files, ${total} matching lines)`;
  const shown = items.reduce(
    (sum, { lines }) => sum + (lines?.filter(({ context }) => context !== true).length ?? 1),
    0,
  );
  return cursor !== undefined || shown < total ? `(${shown} of ${bound}${total})` : undefined;
}
