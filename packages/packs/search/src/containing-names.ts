import type { SearchContext } from "./context.ts";
import type { CodeSymbol } from "./languages/symbols.ts";
import { sourcePage } from "./sources/source-page.ts";

/** The names of definitions that contain a name. */
interface ContainingNames {
  /** Without repetition. Those with the name as a word are first, then the shortest: `isReady` before `already`. */
  readonly names: readonly string[];
  /** Whether the search ended early, so that there may be more. */
  readonly isPartial: boolean;
}

/** Maximum time of the search in ms. It only adds to an answer. */
const maxMs = 1_000;
const maxSymbols = 1_000;

/** Finds names that contain the requested one, ignoring case. */
export async function containingNames(
  { name, path, globs }: { name: string; path?: string | undefined; globs?: readonly string[] | undefined },
  context: SearchContext & { readonly signal: AbortSignal },
): Promise<ContainingNames> {
  const search = {
    text: { literal: name, ignoreCase: true },
    task: { kind: "symbols", name: name.toLowerCase() },
  } as const;
  const { files, rest } = await sourcePage<CodeSymbol>({ path, globs, limit: maxSymbols }, search, {
    ...context,
    timeoutMs: Math.min(maxMs, context.timeoutMs),
  });
  const names = new Set(files.flatMap(({ found }) => found.map((symbol) => symbol.name)));
  names.delete(name);
  const rank = (other: string) => (hasWord(other, name) ? 0 : 1_000) + other.length;
  const sorted = [...names].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return { names: sorted, isPartial: rest.partial === true };
}

/** Whether a name has another one as a word: `isReady` and `READY_AT` have `ready`. */
function hasWord(name: string, word: string): boolean {
  const words = name.replaceAll(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1_").split(/[^\p{L}\p{N}]+/u);
  return `_${words.join("_")}_`.toLowerCase().includes(`_${word.toLowerCase()}_`);
}

const maxShown = 8;

/** Tells which names an exact search has left out. Undefined if there are none. */
export function containingHint({ names, isPartial }: ContainingNames): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, maxShown).join(", ");
  const more = names.length > maxShown ? ", …" : "";
  const count = `${isPartial ? "At least " : ""}${names.length}`;
  return `${count} other ${names.length === 1 ? "name contains" : "names contain"} it: ${shown}${more}; exact: false finds them.`;
}
