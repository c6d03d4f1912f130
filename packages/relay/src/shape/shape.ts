/** What a long text is made of, in a few lines for a model. */
export interface Shape {
  readonly text: string;
  /** Whether the whole text is rows that SQL can query: a JSON array of objects, JSON lines, CSV or TSV. */
  readonly isTable?: boolean;
}

/**
 * Describes a text of one format in at most `maxTokens`. Undefined for a text of another format. The text is untrusted. Time is
 * linear in its length, and memory is bounded.
 */
export type DescribeShape = (text: string, maxTokens: number) => Shape | undefined;
