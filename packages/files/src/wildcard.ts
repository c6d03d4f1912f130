/** Tests one part of a path, such as a file's name. */
export type NameTest = (name: string) => boolean;

interface CharacterClass {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [low: string, high: string])[];
  readonly named: readonly RegExp[];
}

/** An element that accepts one character. */
type Accepting = string | typeof any | CharacterClass;
type Element = Accepting | typeof star;

export const star = Symbol("star");
const any = Symbol("any");

const namedClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/**
 * Compiles the wildcards of one part of a path: `*`, `?`, character classes and `\` as in git. The time of a test is at most proportional to the
 * product of both lengths.
 *
 * @returns the name itself if it has no wildcard; undefined for a class or escape without an end, and for a range that ends before its start
 */
export function compileName(pattern: string): NameTest | string | undefined {
  const elements = parse(Array.from(pattern));
  if (elements === undefined) return undefined;
  if (elements.every((element) => typeof element === "string")) return elements.join("");
  const [first, ...rest] = elements;
  if (first === star && rest.every((element) => typeof element === "string")) {
    const end = rest.join("");
    return (name) => name.endsWith(end);
  }
  return (name) => matchesSequence<Accepting, string>(elements, Array.from(name), accepts);
}

/** Matches a sequence, in which `star` stands for any items. On a mismatch only the last star is extended: extending an earlier one cannot find more. */
export function matchesSequence<Element, Item>(
  elements: readonly (Element | typeof star)[],
  items: readonly Item[],
  accepts: (element: Element, item: Item) => boolean,
): boolean {
  let [at, read] = [0, 0];
  let [afterStar, retry] = [-1, 0];
  while (read < items.length) {
    const element = elements[at];
    if (element === star) {
      [afterStar, retry] = [at + 1, read];
      at = afterStar;
    } else if (element !== undefined && accepts(element, items[read] as Item)) {
      at += 1;
      read += 1;
    } else {
      if (afterStar < 0) return false;
      retry += 1;
      [at, read] = [afterStar, retry];
    }
  }
  while (elements[at] === star) at += 1;
  return at === elements.length;
}

function accepts(element: Accepting, character: string): boolean {
  if (typeof element === "string") return element === character;
  if (typeof element === "symbol") return true;
  const { isNegated, ranges, named } = element;
  const isIn =
    ranges.some(([low, high]) => low <= character && character <= high) || named.some((test) => test.test(character));
  return isIn !== isNegated;
}

function parse(pattern: readonly string[]): readonly Element[] | undefined {
  const elements: Element[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? "";
    if (character === "*") {
      if (elements.at(-1) !== star) elements.push(star);
    } else if (character === "?") elements.push(any);
    else if (character === "\\") {
      at += 1;
      const escaped = pattern[at];
      if (escaped === undefined) return undefined;
      elements.push(escaped);
    } else if (character === "[") {
      const parsed = parseClass(pattern, at + 1);
      if (parsed === undefined) return undefined;
      elements.push(parsed.element);
      at = parsed.end;
    } else elements.push(character);
  }
  return elements;
}

/** The index of the `]` of a character class. `start` is the index after its `[`. Undefined if the class has no end. */
export function endOfClass(pattern: readonly string[], start: number): number | undefined {
  return parseClass(pattern, start)?.end;
}

/** @returns the class and the index of its `]` */
function parseClass(
  pattern: readonly string[],
  start: number,
): { readonly element: CharacterClass; readonly end: number } | undefined {
  const isNegated = pattern[start] === "!" || pattern[start] === "^";
  const ranges: [string, string][] = [];
  const named: RegExp[] = [];
  const first = start + (isNegated ? 1 : 0);
  /** The possible start of a range. Undefined after another range or a named class. */
  let low: string | undefined;
  for (let at = first; at < pattern.length; at += 1) {
    let character = pattern[at] ?? "";
    // A `]` in the first position is a member of the class.
    if (character === "]" && at > first) return { element: { isNegated, ranges, named }, end: at };
    const name = character === "[" && pattern[at + 1] === ":" ? readName(pattern, at + 2) : undefined;
    if (name !== undefined) {
      const test = namedClasses[name];
      if (test === undefined) return undefined;
      named.push(test);
      at += name.length + 3;
      low = undefined;
      continue;
    }
    const next = pattern[at + 1];
    const isRange = character === "-" && low !== undefined && next !== undefined && next !== "]";
    if (isRange) {
      at += 1;
      character = next;
    }
    if (character === "\\") {
      at += 1;
      character = pattern[at] ?? "";
      if (character === "") return undefined;
    }
    const from = isRange ? (low ?? "") : character;
    if (from > character) return undefined;
    ranges.push([from, character]);
    low = isRange ? undefined : character;
  }
  return undefined;
}

/** The name in `[:name:]`. */
function readName(pattern: readonly string[], start: number): string | undefined {
  const end = pattern.indexOf("]", start);
  return end > start && pattern[end - 1] === ":" ? pattern.slice(start, end - 1).join("") : undefined;
}
