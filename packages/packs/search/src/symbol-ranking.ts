import type { CodeReference } from "./languages/references.ts";
import type { CodeSymbol } from "./languages/symbols.ts";

/** The definitions and references in one file. */
export interface SymbolFile {
  readonly path: string;
  readonly symbols: (CodeSymbol | CodeReference)[];
}

/** Ranks of symbols, the best first: `using` if it is clear what is meant, else `unclear`. Between two of them are those of files of tests. */
export const ranks = { best: 0, using: 1, word: 3, lesser: 4, unclear: 10, variable: 20 } as const;

/** Maximum number of files that define a name equally well, and are shown with the references in them. */
const maxDefining = 5;

const lesserKinds: ReadonlySet<string> = new Set(["constant", "variable", "reference", "use"]);
const testPath = /(?:^|\/)(?:tests?|__tests__|spec)\/|(?:^|\/)test_|[._-](?:test|spec|fixture)s?\.[^/]*$/i;

/** The score of a definition, 0 the best: functions, types and methods; constants; what is inside a function. In files of tests, 3 more. */
function scoreOf(path: string, { kind, isLocal }: CodeSymbol | CodeReference): number {
  return (isLocal === true ? 2 : lesserKinds.has(kind) ? 1 : 0) + (testPath.test(path) ? 3 : 0);
}

/**
 * Ranks the symbols of a whole name. A file with a lesser definition of its own, other than a method, has no references: they do not mean the best one.
 *
 * @param isCut whether only the first few files that define the name keep their references
 * @returns the symbols, best first; whether the name is defined at the top of a file, or once; and the number of references that are not of the best
 */
export function rankSymbols(files: readonly SymbolFile[], isCut: boolean) {
  const scored = files.map((file) => {
    const definitions = file.symbols.filter((symbol) => !("text" in symbol));
    return { ...file, definitions, score: Math.min(...definitions.map((one) => scoreOf(file.path, one))) };
  });
  const best = Math.min(...scored.map(({ score }) => score));
  const defined = scored.flatMap(({ score, definitions }) => (score === best ? definitions : []));
  const isSure = defined.some((one) => one.isLocal !== true && (defined.length === 1 || one.in === undefined));
  let [defining, unrelated] = [0, 0];
  const ranked = scored.flatMap(({ path, symbols, definitions, score }) => {
    const used = (isSure ? ranks.using : ranks.unclear) + Number(testPath.test(path));
    const using = symbols[0]?.kind === "use" ? ranks.variable : used;
    const rank = definitions.length === 0 ? using : score === best && score < 2 ? ranks.best : ranks.lesser + score;
    const isOther = score > best && definitions.some(({ kind }) => kind !== "method");
    if (isOther) unrelated += symbols.length - definitions.length;
    const isLate = isCut && rank === ranks.best && (defining += 1) > maxDefining;
    return (isOther || isLate ? definitions : symbols).map((symbol) => ({ path, symbol, rank }));
  });
  return { symbols: ranked.toSorted((a, b) => a.rank - b.rank), isSure, unrelated };
}

/**
 * Ranks functions and types whose names contain a name, each name once, of the same score the shortest first. A name that only contains the letters has 10
 * more than one that has them as a word.
 */
export function rankNear(files: readonly SymbolFile[], name: string) {
  const all = files.flatMap(({ path, symbols }) => {
    const others = symbols.filter((one) => !lesserKinds.has(one.kind) && one.name !== name && one.in !== name);
    const scored = (symbol: CodeSymbol | CodeReference) =>
      scoreOf(path, symbol) + (hasWord(symbol.name, name) ? 0 : 10);
    return others.map((symbol) => ({ path, symbol, score: scored(symbol) }));
  });
  const ranked = all.toSorted((a, b) => a.score - b.score || a.symbol.name.length - b.symbol.name.length);
  return [...Map.groupBy(ranked, ({ symbol }) => symbol.name).values()].flatMap(([first]) => first ?? []);
}

/** Whether a name has a word of its own: `isReady` and `READY_AT` have `ready`, `alreadyDone` has not. */
function hasWord(name: string, word: string): boolean {
  const at = name.toLowerCase().indexOf(word.toLowerCase());
  const [before = "", first = "", after = ""] = [name[at - 1], name[at], name[at + word.length]];
  return before !== "#" && (/^[^a-z]?$/i.test(before) || /[A-Z]/.test(first)) && !/[a-z]/.test(after);
}
