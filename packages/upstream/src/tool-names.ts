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

/**
 * The name here of each of a server's names: the prefix and the name in snake case, at most 64 characters. One that is longer, or that
 * another has, ends with a hash of what the server calls it, so that it stays the same whatever else is listed.
 */
export function namesHere(prefix: string, names: readonly string[]): ReadonlyMap<string, string> {
  const here = new Map<string, string>();
  const taken = new Set<string>();
  const plain = (name: string) => `${prefix}${snakeCase(name)}`;
  const fits = (name: string) => plain(name).length <= longest && snakeCase(name) !== "" && !taken.has(plain(name));
  const isAsGiven = (name: string) => snakeCase(name) === name;
  for (const name of [...names.filter(isAsGiven), ...names.filter((one) => !isAsGiven(one))]) {
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
