import { createHash } from "node:crypto";

/** Maximum length of a tool name in model APIs. */
const maxLength = 64;

/** Converts to snake case: `My Server` to `my_server`, `listIssues` to `list_issues`. */
export function snakeCase(name: string): string {
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
  const words = (name: string) => snakeCase(rename(name) ?? name);
  const plain = (name: string) => `${prefix}${words(name)}`;
  const isFree = (name: string) => !taken.has(name) && !avoid.some((beginning) => name.startsWith(beginning));
  const fits = (name: string) => plain(name).length <= maxLength && words(name) !== "" && isFree(plain(name));
  /** Configured names come first, then names that need no change. */
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
  return `${text.slice(0, maxLength - hash.length - 1).replace(/_+$/, "")}_${hash}`;
}
