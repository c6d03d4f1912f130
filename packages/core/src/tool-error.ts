/** The codes of failures that a caller can get. */
export const errorCodes = [
  "invalid_input",
  "not_found",
  "conflict",
  "denied",
  "too_large",
  "unavailable",
  "cancelled",
  "internal",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** A failure as a model reads it. The message names the field and what is accepted. The hint says what to do next. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

const brand = Symbol.for("toolpacks.ToolError");

/**
 * A failure for the model. Any other error that a handler throws is a bug: dispatch logs it and answers `internal` with a generic message.
 *
 * @example throw new ToolError("not_found", `note: no note has the id "${id}"`, "Find ids with note_list.");
 */
export class ToolError extends Error implements Failure {
  readonly code: ErrorCode;
  readonly hint?: string;

  constructor(code: ErrorCode, message: string, hint?: string) {
    super(message);
    this.name = "ToolError";
    this.code = code;
    if (hint !== undefined) this.hint = hint;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for a ToolError of any installed copy of this package. `instanceof` is true only for one copy. */
  static is(error: unknown): error is ToolError {
    return error instanceof Error && brand in error;
  }
}
