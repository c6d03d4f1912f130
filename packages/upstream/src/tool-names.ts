import { createHash } from "node:crypto";

/** Maximum length of a tool name in model APIs. */
const maxLength = 64;
/** Maximum length of the beginning of a name that is converted. A character can become eighteen. */
const maxConverted = 128;

/** Converts the beginning of a name to snake case: `My Server` to `my_server`, `listIssues` to `list_issues`. */
export function snakeCase(whole: string): string {
  const name = whole.slice(0, maxConverted);
  // Only when needed: loading the Unicode tables slows the start.
  const plain = /^[ -~]*$/.test(name) ? name : name.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const words = plain
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_");
  return words.replaceAll(/^_+|_+$/g, "");
}

interface Naming {
  /** A name that the user configured in place of the server's. */
  readonly rename?: (name: string) => string | undefined;
  /** Name prefixes of other servers. Default none. */
  readonly avoid?: readonly string[];
}

/**
 * The names here: the prefix and the server's name in snake case, at most 64 characters. A name that is too long or taken ends
 * with a hash of the server's name, so that it does not depend on the other names.
 */
export function namesHere(
  prefix: string,
  names: readonly string[],
  { rename = () => undefined, avoid = [] }: Naming = {},
): ReadonlyMap<string, string> {
  const here = new Map<string, string>();
  const taken = new Set<string>();
  const isFree = (name: string) => !taken.has(name) && !avoid.some((beginning) => name.startsWith(beginning));
  const named = names.map((name) => {
    const chosen = rename(name);
    const words = snakeCase(chosen ?? name);
    /** Configured names come first, then names that need no change. */
    const rank = chosen !== undefined ? 0 : words === name ? 1 : 2;
    return { name, words, rank };
  });
  for (const { name, words } of named.sort((a, b) => a.rank - b.rank)) {
    if (here.has(name)) continue;
    const plain = `${prefix}${words}`;
    const fits = plain.length <= maxLength && words !== "" && isFree(plain);
    const short = fits ? plain : hashed(plain, name);
    taken.add(short);
    here.set(name, short);
  }
  return here;
}

function hashed(text: string, name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${text.slice(0, maxLength - hash.length - 1).replace(/_+$/, "")}_${hash}`;
}
