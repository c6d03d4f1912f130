import { isObject } from "../is-object.ts";
import type { Patterns } from "./patterns.ts";
import { childOf, rootNode, type ValueNode, type Problem, type Result } from "./value-node.ts";
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
/** Maximum characters of a problem's message. */
const maxMessageCharacters = 400;
/** Number of character comparisons of a pattern that count as one step. */
const comparisonsPerStep = 50;
/** Number of characters of a value written as JSON that count as one step. */
const jsonCharactersPerStep = 50;

const noKeys: ReadonlySet<string | number> = new Set();
const passed: Result = { problems: [], evaluated: noKeys };

/** The result of checking a value with one schema. */
export class Findings implements Result {
  readonly problems: Problem[] = [];
  readonly evaluated = new Set<string | number>();

  /** Whether further problems are dropped. */
  get isFull(): boolean {
    return this.problems.length >= maxProblems;
  }

  add(node: ValueNode, message: string): void {
    // Messages are composed of those of subschemas, so they could grow with every level.
    if (!this.isFull) this.problems.push({ node, message: message.slice(0, maxMessageCharacters) });
  }

  addAll(problems: readonly Problem[]): void {
    for (const { node, message } of problems) this.add(node, message);
  }
}

/**
 * One check of a value. Each schema is evaluated at most once per node of the value. The number of steps is limited too: work whose size the schema
 * or the value decides spends steps in proportion.
 */
export class Evaluation {
  readonly document: SchemaDocument;
  readonly enums = new WeakMap<object, ReadonlySet<string>>();
  readonly #checkKeywords: CheckKeywords;
  readonly #nameNodes = new Map<string, ValueNode>();
  readonly #texts = new Map<unknown, string>();
  #steps = 0;
  #depth = 0;

  constructor(document: SchemaDocument, checkKeywords: CheckKeywords) {
    this.document = document;
    this.#checkKeywords = checkKeywords;
  }

  /** @throws CheckLimitExceeded */
  evaluate(schema: unknown, node: ValueNode): Result {
    this.spend(1);
    if (schema === false) return { problems: [{ node, message: "is not accepted" }], evaluated: noKeys };
    if (!isObject(schema)) return passed;
    const known = node.results.get(schema);
    if (known !== undefined) return known;
    // A schema that refers to itself for the same value has no effect.
    node.results.set(schema, passed);
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

  /** Checks the name of a property with a schema. */
  evaluateName(schema: unknown, name: string): Result {
    const node = this.#nameNodes.get(name) ?? rootNode(name);
    this.#nameNodes.set(name, node);
    return this.evaluate(schema, node);
  }

  /** A text that is the same for two values exactly if they are equal as JSON. @throws CheckLimitExceeded */
  textOf(value: unknown): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = canonicalText(value);
    this.spend(1 + Math.ceil(text.length / jsonCharactersPerStep));
    this.#texts.set(value, text);
    return text;
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
    this.spend(1);
    const pattern = this.document.patterns(source);
    if (pattern === undefined) return true;
    this.spend(Math.ceil((text.length * pattern.size) / comparisonsPerStep));
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

function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
