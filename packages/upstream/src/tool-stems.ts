/** Words of tool names that say what is done, not to what. */
const verbs: ReadonlySet<string> = new Set(
  (
    "add append apply assign cancel change check clear close commit copy count create delete describe disable download edit enable execute export " +
    "fetch find get import insert install invite is kill link list lock log make manage mark merge move open patch perform post publish push put query " +
    "read remove rename reopen replace reply request reset resolve restart restore revoke run save search send set show star start stop submit " +
    "subscribe sync test toggle trigger unassign unlink unlock unstar unsubscribe update upload upsert validate view watch write"
  ).split(" "),
);

/** Words after which a name says how, or what is done. */
const endings: ReadonlySet<string> = new Set(
  "and as at by for from in into of on or read to with without write".split(" "),
);

/** Words that say nothing about a tool. */
const fillers: ReadonlySet<string> = new Set(
  "all a an any by id info item items me my multiple the tool tools".split(" "),
);

const maxStems = 6;
const maxTools = 500;
const maxWordCharacters = 20;

/**
 * What tools are about, from their names, the most frequent first: `issues, pull requests, branches`. Undefined if the names say nothing.
 *
 * @param names in snake_case
 */
export function toolStems(names: readonly string[]): string | undefined {
  const things = names.slice(0, maxTools).flatMap((name) => {
    const words = thing(name);
    return words.length === 0 ? [] : [words];
  });
  const byFirst = Map.groupBy(things, ([first = ""]) => first);
  const stems = [...byFirst].map(([first, all]) => ({ stem: `${first}${sharedSecond(all)}`, count: all.length }));
  const shown = stems.toSorted((one, other) => other.count - one.count).slice(0, maxStems);
  if (shown.length === 0) return undefined;
  return [...shown.map(({ stem }) => plural(stem)), ...(stems.length > maxStems ? ["…"] : [])].join(", ");
}

/** The words of a name for the thing that the tool is about, in the singular. */
function thing(name: string): readonly string[] {
  const words = name.split("_").filter((word) => /^[a-z]+$/.test(word) && word.length <= maxWordCharacters);
  const start = words.findIndex((word) => !verbs.has(word) && !endings.has(word) && !fillers.has(word));
  if (start < 0) return [];
  const rest = words.slice(start);
  const end = rest.findIndex((word) => endings.has(word));
  return rest.slice(0, end < 0 ? rest.length : end).map(singular);
}

/** The second word, if more than half of these have the same one. */
function sharedSecond(all: readonly (readonly string[])[]): string {
  const counts = new Map<string, number>();
  for (const [, second] of all) if (second !== undefined) counts.set(second, (counts.get(second) ?? 0) + 1);
  const shared = [...counts].find(([, count]) => 2 * count > all.length);
  return shared === undefined ? "" : ` ${shared[0]}`;
}

function singular(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

function plural(text: string): string {
  if (/[^aeiou]y$/.test(text)) return `${text.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(text) ? `${text}es` : `${text}s`;
}
