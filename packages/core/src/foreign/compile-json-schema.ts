import { isObject } from "../is-object.ts";
import { visibleText } from "../roots/quote-name.ts";
import type { Checked } from "../schema.ts";
import { checkKeywords } from "./check-keywords.ts";
import { CheckLimitExceeded, Evaluation } from "./evaluation.ts";
import { loadPatterns } from "./patterns.ts";
import { pathOf, rootPlace, type Problem } from "./place.ts";
import { indexReferences } from "./schema-references.ts";

const maxReported = 5;
const maxProblemCharacters = 300;

/**
 * Makes a checker of a JSON Schema that somebody else wrote, drafts 6 to 2020-12. A check is bounded in steps, patterns run in linear
 * time, and references stay inside the document. What cannot be understood of the schema is not checked.
 */
export async function compileJsonSchema(schema: unknown): Promise<(value: unknown) => Checked> {
  const dialect = isObject(schema) ? schema["$schema"] : undefined;
  const document = {
    references: indexReferences(schema),
    patterns: await loadPatterns(schema),
    ignoresBesideReference: typeof dialect === "string" && /\/draft-0[3-7]\//.test(dialect),
  };
  return (value) => {
    try {
      const { problems } = new Evaluation(document, checkKeywords).evaluate(schema, rootPlace(value));
      if (problems.length === 0) return { ok: true, value };
      return { ok: false, message: [...new Set(problems.map(render))].slice(0, maxReported).join("; ") };
    } catch (error) {
      // A value can be too deep to be written as JSON, too.
      if (!(error instanceof CheckLimitExceeded || error instanceof RangeError)) throw error;
      return { ok: false, message: "args: too large or too deep to check against the tool's schema; send less" };
    }
  };
}

function render({ place, message }: Problem): string {
  const path = pathOf(place);
  // Names and values of another server's schema must not look like lines of ours.
  const text = visibleText(`${path === "" ? "args" : path}: ${message}`);
  return text.length > maxProblemCharacters ? `${text.slice(0, maxProblemCharacters)}…` : text;
}
