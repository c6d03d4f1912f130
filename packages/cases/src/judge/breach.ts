/** Every rule that a conversation may break. A failed case prints the names of those that it broke. */
export const rules = [
  "answer",
  "answer_matches",
  "args",
  "call_count",
  "call_order",
  "forbidden_tools",
  "invented_handle",
  "max_tokens",
  "missing_call",
  "opaque_id_input",
  "opaque_id_result",
  "tool_error",
  "unknown_tool",
  "unlisted_tool",
] as const;

export type Rule = (typeof rules)[number];

/** A rule that did not hold, and what was there instead. */
export interface Breach {
  readonly rule: Rule;
  readonly message: string;
}
