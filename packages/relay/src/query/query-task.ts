/** The first line on the standard input of the query process. The value follows. */
export interface QueryTask {
  readonly sql: string;
  /** JSONPath of the rows. Default: the largest list of the value. */
  readonly path?: string;
  /** Rows to skip. */
  readonly skip: number;
  /** Maximum rows of the answer. */
  readonly limit: number;
  /** Maximum bytes of the rows in the answer. */
  readonly room: number;
  /** Size of the value in bytes. */
  readonly size: number;
}

/** A line on the standard output of the query process: `loaded`, and then the answer or the problem. */
export type QueryMessage = { readonly kind: "loaded" } | QueryAnswer | QueryProblem;

export interface QueryAnswer {
  readonly kind: "answer";
  readonly text: string;
}

export interface QueryProblem {
  readonly kind: "problem";
  readonly problem: string;
  readonly hint?: string;
  /** The columns of the table, where it was loaded. */
  readonly columns?: readonly string[];
  /** What the table was made of, such as `12 rows of $.items`. */
  readonly source?: string;
}
