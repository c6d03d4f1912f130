import { isObject } from "../is-object.ts";
import type { Patterns } from "./patterns.ts";
import { childOf, type Place, type Problem, type Result } from "./place.ts";
import type { SchemaReferences } from "./schema-references.ts";

export type SchemaObject = Readonly<Record<string, unknown>>;

/** A document's parts that every check of a value needs. */
export interface SchemaDocument {
  readonly references: SchemaReferences;
  readonly patterns: Patterns;
  /** Drafts up to 7 ignore what stands beside a `$ref`. */
  readonly ignoresBesideReference: boolean;
}

/** Thrown when a check takes more steps or a deeper recursion than is allowed. */
export class CheckLimitExceeded extends Error {}

const maxSteps = 1_000_000;
const maxDepth = 400;
/** Problems that are kept of one schema at one place. */
const maxProblems = 6;
/** Character comparisons of a pattern that count as one step. */
const comparisonsPerStep = 50;

const noKeys: ReadonlySet<string | number> = new Set();
const passed: Result = { problems: [], evaluated: noKeys };

/** What the keywords of one schema find at one place. */
export class Findings implements Result {
  readonly problems: Problem[] = [];
  readonly evaluated = new Set<string | number>();

  add(place: Place, message: string): void {
    if (this.problems.length < maxProblems) this.problems.push({ place, message });
  }

  addAll(problems: readonly Problem[]): void {
    for (const { place, message } of problems) this.add(place, message);
  }
}

/** One check of one value. Every schema is evaluated once at each place, so the time is at most their product; the steps bound it further. */
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
  evaluate(schema: unknown, place: Place): Result {
    if (schema === false) return { problems: [{ place, message: "is not accepted" }], evaluated: noKeys };
    if (!isObject(schema)) return passed;
    const known = place.results.get(schema);
    if (known !== undefined) return known;
    // A schema that refers to itself at the same place adds nothing.
    place.results.set(schema, passed);
    this.spend(1);
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new CheckLimitExceeded();
    const found = new Findings();
    this.#check(schema, place, found);
    this.#depth -= 1;
    place.results.set(schema, found);
    return found;
  }

  evaluateChild(schema: unknown, place: Place, key: string | number): Result {
    return this.evaluate(schema, childOf(place, key));
  }

  /** @throws CheckLimitExceeded */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > maxSteps) throw new CheckLimitExceeded();
  }

  /** Takes over the keys that a passing subschema speaks of. @throws CheckLimitExceeded */
  mergeEvaluated(found: Findings, keys: ReadonlySet<string | number>): void {
    if (!this.document.references.hasUnevaluated) return;
    this.spend(keys.size);
    for (const key of keys) found.evaluated.add(key);
  }

  /** True, too, for a pattern that cannot be checked. */
  matches(source: string, text: string): boolean {
    const pattern = this.document.patterns(source);
    if (pattern === undefined) return true;
    this.spend(1 + Math.ceil((text.length * pattern.size) / comparisonsPerStep));
    return pattern.test(text);
  }

  #check(schema: SchemaObject, place: Place, found: Findings): void {
    const reference = schema["$ref"] ?? schema["$dynamicRef"] ?? schema["$recursiveRef"];
    if (typeof reference === "string") {
      const { problems, evaluated } = this.evaluate(this.document.references.resolve(reference), place);
      found.addAll(problems);
      this.mergeEvaluated(found, evaluated);
      if (this.document.ignoresBesideReference) return;
    }
    this.#checkKeywords(this, { schema, place, found });
  }
}

/** What a group of keywords checks. */
export interface KeywordCheck {
  readonly schema: SchemaObject;
  readonly place: Place;
  readonly found: Findings;
}

/** Checks every keyword of one schema at one place. */
export type CheckKeywords = (evaluation: Evaluation, check: KeywordCheck) => void;
