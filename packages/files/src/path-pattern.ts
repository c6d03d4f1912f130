/** Tests a path with `/`, or a name. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a pattern of a path: `*`, `?`, character classes and `\` as in git. A part `**` matches any number of folders, and at the end
 * everything below. The time of a test is at most proportional to the product of both lengths.
 *
 * @returns undefined for a class or escape without an end, and for a range that ends before its start
 */
export function compilePath(pattern: string): PathTest | undefined {
  const tokens = tokensOf(Array.from(pattern));
  if (tokens === undefined) return undefined;
  const atomic = createAtomic();
  const parts = splitAt(tokens, "/").map((part) => (part.join("") === "**" ? folders : nameSource(part, atomic)));
  const [first = [], ...others] = splitAt(parts, folders);
  const last = others.pop();
  if (last === undefined) return testOf(first.join("/"));
  const middle = others.filter((section) => section.length > 0).map((section) => `(?:[^/]+/)*?${section.join("/")}/`);
  return testOf(
    [
      ...first.map((part) => `${part}/`),
      ...middle.map(atomic),
      last.length === 0 ? "[^]+" : `(?:[^/]+/)*${last.join("/")}`,
    ].join(""),
  );
}

/** The name that a pattern without wildcards stands for. Undefined for another pattern. */
export function literalName(pattern: string): string | undefined {
  return /^(?:[^*?[\\]|\\.)*$/su.test(pattern) ? pattern.replaceAll(/\\(.)/gsu, "$1") : undefined;
}

/** A part `**`. */
const folders = "**";

function testOf(source: string): PathTest {
  const expression = new RegExp(`^${source}$`, "u");
  return (path) => expression.test(path);
}

/**
 * Creates atomic groups: what a group has matched is not matched in another way later. JavaScript has them as a lookahead and a reference. A
 * star matches as little as possible, and an earlier star that matches more cannot help a later one, so backtracking is limited to one star.
 */
function createAtomic(): (source: string) => string {
  let count = 0;
  return (source) => {
    count += 1;
    return String.raw`(?=(?<a${count}>${source}))\k<a${count}>`;
  };
}

function nameSource(tokens: readonly string[], atomic: (source: string) => string): string {
  const [first = "", ...others] = splitAt(tokens, "*").map((run) => run.join(""));
  const last = others.pop();
  if (last === undefined) return first;
  const middle = others.filter((run) => run !== "").map((run) => atomic(`[^/]*?${run}`));
  return `${first}${middle.join("")}[^/]*${last}`;
}

function splitAt(tokens: readonly string[], separator: string): readonly (readonly string[])[] {
  const lists: string[][] = [[]];
  for (const token of tokens) {
    if (token === separator) lists.push([]);
    else lists.at(-1)?.push(token);
  }
  return lists;
}

/** `/`, `*`, and the regular expression of each other character. */
function tokensOf(pattern: readonly string[]): readonly string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? "";
    if (character === "/" || character === "*") tokens.push(character);
    else if (character === "?") tokens.push("[^/]");
    else if (character === "[") {
      const found = readClass(pattern, at + 1);
      if (found === undefined) return undefined;
      tokens.push(found.source);
      at = found.end;
    } else {
      if (character === "\\") at += 1;
      const literal = pattern[at];
      if (literal === undefined) return undefined;
      tokens.push(literal === "/" ? literal : escaped(literal));
    }
  }
  return tokens;
}

function escaped(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|-]/, character === "-" ? String.raw`\x2d` : String.raw`\$&`);
}

const namedClasses: Readonly<Record<string, string>> = {
  alnum: "A-Za-z0-9",
  alpha: "A-Za-z",
  blank: String.raw` \t`,
  cntrl: String.raw`\p{Cc}`,
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: String.raw`!-\/:-@\[-\x60\{-~`,
  space: String.raw`\t-\r `,
  upper: "A-Z",
  xdigit: "0-9A-Fa-f",
};

/** Reads a character class from behind its `[`. It never matches a slash. `end` is the index of its `]`. */
function readClass(
  pattern: readonly string[],
  start: number,
): { readonly source: string; readonly end: number } | undefined {
  const isNegated = pattern[start] === "!" || pattern[start] === "^";
  const first = start + (isNegated ? 1 : 0);
  let members = "";
  /** The possible start of a range. Undefined after another range or a named class. */
  let low: string | undefined;
  for (let at = first; at < pattern.length; at += 1) {
    let character = pattern[at] ?? "";
    // A `]` in the first position is a member of the class.
    if (character === "]" && at > first) return { source: `(?!/)[${isNegated ? "^" : ""}${members}]`, end: at };
    const name = character === "[" && pattern[at + 1] === ":" ? readName(pattern, at + 2) : undefined;
    if (name !== undefined) {
      const named = namedClasses[name];
      if (named === undefined) return undefined;
      members += named;
      at += name.length + 3;
      low = undefined;
      continue;
    }
    const next = pattern[at + 1];
    const from = character === "-" && next !== undefined && next !== "]" ? low : undefined;
    if (from !== undefined) {
      at += 1;
      character = next ?? "";
    }
    if (character === "\\") {
      at += 1;
      character = pattern[at] ?? "";
      if (character === "") return undefined;
    }
    if (from !== undefined && (from.codePointAt(0) ?? 0) > (character.codePointAt(0) ?? 0)) return undefined;
    members += from === undefined ? escaped(character) : `-${escaped(character)}`;
    low = from === undefined ? character : undefined;
  }
  return undefined;
}

/** The name in `[:name:]`. */
function readName(pattern: readonly string[], start: number): string | undefined {
  const end = pattern.indexOf("]", start);
  return end > start && pattern[end - 1] === ":" ? pattern.slice(start, end - 1).join("") : undefined;
}
