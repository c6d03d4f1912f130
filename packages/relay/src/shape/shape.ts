/** What a long text is made of, in a few lines for a model. */
export interface Shape {
  readonly text: string;
  /** Whether SQL can query it: a JSON array of objects, also in an object, JSON lines, CSV or TSV. */
  readonly isTable?: boolean;
}

/**
 * Describes a text of one format in at most `maxTokens`. Undefined for a text of another format. The text is untrusted. Time is
 * linear in its length, and memory is bounded.
 */
export type DescribeShape = (text: string, maxTokens: number) => Shape | undefined;
