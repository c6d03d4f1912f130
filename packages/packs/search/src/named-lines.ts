/** A line of a file, and the definition around it if it is a match. */
export interface NamedLine {
  readonly line: number;
  readonly text: string;
  readonly in?: string | undefined;
  /** Whether it is a line near a match. */
  readonly context?: boolean | undefined;
}

/** Renders the lines of a file. The name of a definition stands once, above its lines. */
export function renderNamedLines(lines: readonly NamedLine[]): readonly string[] {
  const rendered: string[] = [];
  let named = "";
  for (const block of blocksOf(lines)) {
    // The lines before a block's first match belong to the definition around that match.
    let around = block.find(({ context }) => context !== true)?.in ?? "";
    for (const { line, text, in: own = "", context = false } of block) {
      if (!context) around = own;
      if (around !== named) rendered.push(around === "" ? "at top level" : `in ${around}`);
      named = around;
      rendered.push(`${line}${context ? "-" : ":"} ${text}`);
    }
  }
  return rendered;
}

/** Splits lines where line numbers are left out. */
function blocksOf(lines: readonly NamedLine[]): readonly (readonly NamedLine[])[] {
  const blocks: NamedLine[][] = [];
  for (const one of lines) {
    const last = blocks.at(-1);
    if (last?.at(-1)?.line === one.line - 1) last.push(one);
    else blocks.push([one]);
  }
  return blocks;
}
