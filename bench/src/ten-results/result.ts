/** A large result with five questions, whose answers are computed from its text. */
export interface LargeResult {
  /** The name of its file in the folder of data. */
  readonly file: string;
  readonly text: string;
  readonly questions: readonly Question[];
}

export interface Question {
  readonly ask: string;
  /** The answer, as it must be in what is shown or read. */
  readonly expected: RegExp;
  /** The arguments of the one `relay_read` that answers it, without the handle. */
  readonly read: Readonly<Record<string, unknown>>;
  /** The range of the handle, such as `#json=$.items`. */
  readonly range?: string;
}

export function query(pattern: string): Question["read"] {
  return { mode: "query", pattern };
}

/** A line that is exactly this text. */
export function line(text: string | number): RegExp {
  return new RegExp(`^${escaped(String(text))}$`, "m");
}

export function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
