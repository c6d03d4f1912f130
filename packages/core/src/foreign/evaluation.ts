import { isObject } from "../is-object.ts";
import type { Patterns } from "./patterns.ts";
import { childOf, type ValueNode, type Problem, type Result } from "./value-node.ts";
import type { SchemaReferences } from "./schema-references.ts";

export type SchemaObject = Readonly<Record<string, unknown>>;

/** A compiled schema document, shared by all checks. */
export interface SchemaDocument {
  readonly references: SchemaReferences;
  readonly patterns: Patterns;
  /** Drafts up to 7 ignore keywords next to a `$ref`. */
  readonly ignoresBesideReference: boolean;
}

/** Thrown when a check exceeds the maximum number of steps or depth. */
export class CheckLimitExceeded extends Error {}

const maxSteps = 1_000_000;
const maxDepth = 400;
/** Maximum number of problems that are kept per schema and value. */
const maxProblems = 6;
/** Number of character comparisons of a pattern that count as one step. */
const comparisonsPerStep = 50;

const noKeys: ReadonlySet<string | number> = new Set();
const passed: Result = { problems: [], evaluated: noKeys };

/** The result of checking a value with one schema. */
export class Findings implements Result {
  readonly problems: Problem[] = [];
  readonly evaluated = new Set<string | number>();

  add(node: ValueNode, message: string): void {
    if (this.problems.length < maxProblems) this.problems.push({ node, message });
  }

  addAll(problems: readonly Problem[]): void {
    for (const { node, message } of problems) this.add(node, message);
  }
}

/** One check of a value. Each schema is evaluated at most once per node of the value. The number of steps is limited too. */
export class Evaluation {
  readonly document: SchemaDocument;
  readonly enums = new WeakMap<object, ReadonlySet<string>>();
  readonly #checkKeywords: CheckKeywords;
  #steps = 0;
  #depth = 0;

  constructor(document: SchemaDocument, checkKeywords: CheckKeywords) {
    this.document = document;
    this.#checkKeywords = checkKeywords;
  }

  /** @throws CheckLimitExceeded */
  evaluate(schema: unknown, node: ValueNode): Result {
    if (schema === false) return { problems: [{ node, message: "is not accepted" }], evaluated: noKeys };
    if (!isObject(schema)) return passed;
    const known = node.results.get(schema);
    if (known !== undefined) return known;
    // A schema that refers to itself for the same value has no effect.
    node.results.set(schema, passed);
    this.spend(1);
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new CheckLimitExceeded();
    const found = new Findings();
    this.#check(schema, node, found);
    this.#depth -= 1;
    node.results.set(schema, found);
    return found;
  }

  evaluateChild(schema: unknown, node: ValueNode, key: string | number): Result {
    return this.evaluate(schema, childOf(node, key));
  }

  /** @throws CheckLimitExceeded */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new CheckLimitExceeded();
  }

  /** Adds the keys that a passing subschema evaluated. @throws CheckLimitExceeded */
  mergeEvaluated(found: Findings, keys: ReadonlySet<string | number>): void {
    if (!this.document.references.hasUnevaluated) return;
    this.spend(keys.size);
    for (const key of keys) found.evaluated.add(key);
  }

  /** Whether a text matches a pattern. True for a pattern that cannot be checked. */
  matches(source: string, text: string): boolean {
    const pattern = this.document.patterns(source);
    if (pattern === undefined) return true;
    this.spend(1 + Math.ceil((text.length * pattern.size) / comparisonsPerStep));
    return pattern.test(text);
  }

  #check(schema: SchemaObject, node: ValueNode, found: Findings): void {
    const reference = schema["$ref"] ?? schema["$dynamicRef"] ?? schema["$recursiveRef"];
    if (typeof reference === "string") {
      const { problems, evaluated } = this.evaluate(this.document.references.resolve(reference), node);
      found.addAll(problems);
      this.mergeEvaluated(found, evaluated);
      if (this.document.ignoresBesideReference) return;
    }
    this.#checkKeywords(this, { schema, node, found });
  }
}

/** The arguments of a group of keyword checks. */
export interface KeywordCheck {
  readonly schema: SchemaObject;
  readonly node: ValueNode;
  readonly found: Findings;
}

/** Checks all keywords of a schema on one value. */
export type CheckKeywords = (evaluation: Evaluation, check: KeywordCheck) => void;
