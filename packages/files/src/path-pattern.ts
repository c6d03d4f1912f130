/** Tests a path with `/`, or a name. */
export type PathTest = (path: string) => boolean;

/**
 * Compiles a pattern of a path: `*`, `?`, character classes and `\` as in git. A part `**` matches any number of folders, and at the end
 * everything below. The time of a test is at most proportional to the product of both lengths.
 *
 * @returns undefined for a class or escape without an end, a range that ends before its start, and an unknown named class
 */
export function compilePath(pattern: string): PathTest | undefined {
  const tokens = tokensOf(pattern);
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

function testOf(source: string): PathTest | undefined {
  try {
    const expression = new RegExp(`^${source}$`, "u");
    return (path) => expression.test(path);
  } catch {
    // A range ends before its start, or no class has such a name.
    return undefined;
  }
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

const token =
  /[/*?]|\[(?<negation>[!^]?)(?<members>\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]|\\(?<escape>.)|(?<plain>[^\\[])/gsuy;

/** `/`, `*`, and the regular expression of each other character. Undefined for a class or escape without an end. */
function tokensOf(pattern: string): readonly string[] | undefined {
  let end = 0;
  const tokens = Array.from(pattern.matchAll(token), ({ 0: text, index, groups = {} }) => {
    end = index + text.length;
    const { negation = "", members, escape, plain } = groups;
    if (members !== undefined) return `(?!/)[${negation && "^"}${memberSources(members)}]`;
    if (text === "/" || text === "*") return text;
    if (text === "?") return "[^/]";
    return escape === "/" ? escape : escaped(escape ?? plain ?? "");
  });
  return end === pattern.length ? tokens : undefined;
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

/** The members of a character class. A dash makes a range. An unknown named class makes the expression invalid. */
function memberSources(members: string): string {
  return members.replaceAll(/\[:(\w+):\]|\\?(.)/gsu, (text, name?: string, character = "") => {
    if (name !== undefined) return namedClasses[name] ?? String.raw`\p{}`;
    return text === "-" ? text : escaped(character);
  });
}
