import { withoutAbsentNulls } from "./absent-nulls.ts";
import { checkValue } from "./check-value.ts";
import { slimJsonSchema, type JsonSchema } from "./json-schema.ts";
import { loadPatterns, type MatchesPattern } from "./patterns.ts";
import type { ToolSchema } from "./schema.ts";

/**
 * Wraps a JSON Schema from another server or a file. A check removes nulls of absent fields from the value, and fills in no defaults. Patterns
 * are compiled at the first check.
 */
export function foreignSchema(schema: JsonSchema): ToolSchema {
  let json: JsonSchema | undefined;
  let patterns: MatchesPattern | undefined;
  return {
    full: () => schema,
    json: () => (json ??= listable(schema)),
    check(value, pending) {
      const cleaned = withoutAbsentNulls(value, () => schema);
      const checkWith = (matches: MatchesPattern) => checkValue(schema, cleaned, { pending, matches });
      if (patterns !== undefined) return checkWith(patterns);
      return loadPatterns(schema).then((matches) => checkWith((patterns = matches)));
    },
  };
}

/** The schema without combinators at its root, because some providers reject the whole list for them. Calls are checked with the full schema. */
function listable({ anyOf: _any, oneOf: _one, allOf: _all, ...schema }: JsonSchema): JsonSchema {
  return slimJsonSchema({ ...schema, type: "object" });
}
