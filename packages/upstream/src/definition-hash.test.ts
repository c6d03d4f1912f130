import * as fc from "fast-check";
import { expect, test } from "vitest";
import { schemaHash } from "./definition-hash.ts";

const names = ["$schema", "a", "properties", "required", "description", "default", "__proto__"];
const { schema } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>("a", "b", "a  b", "https://json-schema.org/draft-07/schema", null, true, 1),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.array(fc.tuple(fc.constantFrom(...names), tie("value")), { maxLength: 2 }),
    tie("schema"),
  ),
  schema: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3 }),
}));

/** A schema as a model reads it, but for the order of fields and the spaces. */
function rendered(value: unknown): string {
  return JSON.stringify(value, (field, inner: unknown) => {
    if (typeof inner === "string") return inner.replaceAll(/\s+/g, " ");
    if (Array.isArray(inner) && field === "required" && inner.every((one) => typeof one === "string")) {
      return inner.toSorted();
    }
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

test("schemas that are shown differently have different hashes", () => {
  fc.assert(
    fc.property(fc.array(schema as fc.Arbitrary<object>, { minLength: 30, maxLength: 60 }), (schemas) => {
      const shown = new Map<string, string>();
      for (const one of schemas) {
        // The dialect at the root is not shown.
        const { $schema: dialect, ...rest } = one as { $schema?: unknown };
        const isDialect = typeof dialect === "string" && dialect.startsWith("https://json-schema.org/");
        const text = rendered(isDialect ? rest : one);
        const hash = schemaHash(one);
        expect(shown.get(hash) ?? text).toBe(text);
        shown.set(hash, text);
      }
    }),
    { numRuns: 200 },
  );
});
