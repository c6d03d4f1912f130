/** Every way a call can fail, as the caller sees it. */
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

/** What a model reads of a failure. The message names the field and what would be accepted; the hint says what to do next. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

const brand = Symbol.for("toolpacks.ToolError");

/**
 * A failure meant for the model. Anything else that a handler throws is a bug: dispatch logs it whole and answers
 * `internal` with one generic line.
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

  /** True for a ToolError of any installed copy of this package, which `instanceof` is not. */
  static is(error: unknown): error is ToolError {
    return error instanceof Error && brand in error;
  }
}
