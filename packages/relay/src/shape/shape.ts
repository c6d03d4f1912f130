/** What a long text is made of, in a few lines for a model. */
export interface Shape {
  readonly text: string;
  /** The table that SQL can query, with its columns if they are few plain names: `t(line, text)`. */
  readonly table?: string | undefined;
}

/**
 * Describes a text of one format in at most `maxTokens`. Undefined for a text of another format. The text is untrusted. Time is
 * linear in its length, and memory is bounded.
 */
export type DescribeShape = (text: string, maxTokens: number) => Shape | undefined;

/** The table of a query. Names that SQL would have to quote, and more than 80 characters of names, are left out. */
export function queriedTable(columns: readonly string[]): string {
  const names = columns.join(", ");
  return names.length <= 80 && columns.every((name) => /^[A-Za-z_]\w*$/.test(name)) ? `t(${names})` : "t";
}
