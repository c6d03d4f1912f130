import { isObject } from "../is-object.ts";
import { visibleText } from "../quote-name.ts";
import type { CheckResult } from "../schema.ts";
import { checkKeywords } from "./check-keywords.ts";
import { CheckLimitExceeded, Evaluation } from "./evaluation.ts";
import { loadPatterns } from "./patterns.ts";
import { pathOf, rootNode, type Problem } from "./value-node.ts";
import { indexReferences } from "./schema-references.ts";

const maxReported = 5;
const maxProblemCharacters = 300;

/**
 * Compiles an untrusted JSON Schema of drafts 6 to 2020-12 to a validator. The number of steps is limited, patterns run in linear time, and
 * references stay inside the document. Keywords that are not valid are not checked.
 */
export async function compileJsonSchema(schema: unknown): Promise<(value: unknown) => CheckResult> {
  const dialect = isObject(schema) ? schema["$schema"] : undefined;
  const document = {
    references: indexReferences(schema),
    patterns: await loadPatterns(schema),
    ignoresBesideReference: typeof dialect === "string" && /\/draft-0[3-7]\//.test(dialect),
  };
  return (value) => {
    try {
      const { problems } = new Evaluation(document, checkKeywords).evaluate(schema, rootNode(value));
      if (problems.length === 0) return { ok: true, value };
      return { ok: false, message: [...new Set(problems.map(render))].slice(0, maxReported).join("; ") };
    } catch (error) {
      // JSON.stringify throws a RangeError for a value that is nested too deep.
      if (!(error instanceof CheckLimitExceeded || error instanceof RangeError)) throw error;
      return { ok: false, message: "args: too large or too deep to check against the tool's schema; send less" };
    }
  };
}

function render({ node, message }: Problem): string {
  const path = pathOf(node);
  // Names and values of an untrusted schema must not imitate our lines.
  const text = visibleText(`${path === "" ? "args" : path}: ${message}`);
  return text.length > maxProblemCharacters ? `${text.slice(0, maxProblemCharacters)}…` : text;
}
