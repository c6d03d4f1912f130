import { createHash } from "node:crypto";

/** Model APIs allow no more. */
const longest = 64;

/** `My Server` as `my_server`, `listIssues` as `list_issues`. */
export function snakeCase(name: string): string {
  // Made only where it is needed: the tables of Unicode cost a start more than all else here.
  const plain = /^[ -~]*$/.test(name) ? name : name.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const words = plain
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_");
  return words.replaceAll(/^_+|_+$/g, "");
}

interface Naming {
  /** What a person wants one to be called in place of what the server calls it. */
  readonly rename?: (name: string) => string | undefined;
  /** Beginnings of names that are another server's. Default none. */
  readonly avoid?: readonly string[];
}

/**
 * The name here of each of a server's names: the prefix and the name in snake case, at most 64 characters. One that is longer, or that
 * another has or may have, ends with a hash of what the server calls it, so that it stays the same whatever else is listed.
 */
export function namesHere(
  prefix: string,
  names: readonly string[],
  { rename = () => undefined, avoid = [] }: Naming = {},
): ReadonlyMap<string, string> {
  const here = new Map<string, string>();
  const taken = new Set<string>();
  const words = (name: string) => snakeCase(rename(name) ?? name);
  const plain = (name: string) => `${prefix}${words(name)}`;
  const isFree = (name: string) => !taken.has(name) && !avoid.some((beginning) => name.startsWith(beginning));
  const fits = (name: string) => plain(name).length <= longest && words(name) !== "" && isFree(plain(name));
  /** A person's word comes first, and then what need not be changed. */
  const rank = (name: string) => (rename(name) !== undefined ? 0 : words(name) === name ? 1 : 2);
  for (const name of names.toSorted((a, b) => rank(a) - rank(b))) {
    if (here.has(name)) continue;
    const short = fits(name) ? plain(name) : hashed(plain(name), name);
    taken.add(short);
    here.set(name, short);
  }
  return here;
}

function hashed(text: string, name: string): string {
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${text.slice(0, longest - hash.length - 1).replace(/_+$/, "")}_${hash}`;
}
