/** All rules that a conversation can break. A failed case prints the names of the broken rules. */
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

/** A broken rule, and the cause. */
export interface Breach {
  readonly rule: Rule;
  readonly message: string;
}
