import { isBuiltin } from "node:module";

/** Leaves room for the suffixes of tool and kind names. */
const maxLength = 32;

/** The names of a pack: the npm package, and what the code is named after it. */
export interface PackName {
  /** Name of the npm package, with its scope if it has one: `@me/my-words`. */
  readonly package: string;
  /** Name of the pack and of its folder: `my-words`. */
  readonly pack: string;
  /** Prefix of the tools: `my_words`. */
  readonly prefix: string;
  /** Name of the exported function: `myWordsPack`. The suffix keeps it apart from reserved words. */
  readonly identifier: string;
}

/**
 * Checks a name by the rules of npm and of packs.
 *
 * @throws Error with the accepted form
 */
export function parsePackName(text: string): PackName {
  const match = /^(?:@[a-z0-9][a-z0-9._-]{0,99}\/)?([a-z][a-z0-9]*(?:-[a-z0-9]+)*)$/.exec(text);
  const pack = match?.[1];
  if (pack === undefined) {
    throw new Error(
      `invalid name "${text}": expected lowercase letters, digits and single hyphens, beginning with a letter, such as my-pack or @me/my-pack`,
    );
  }
  if (pack.length > maxLength) throw new Error(`invalid name "${text}": expected at most ${maxLength} characters`);
  if (isBuiltin(text)) throw new Error(`invalid name "${text}": npm refuses the names of Node's own modules`);
  const camelCase = pack.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return { package: text, pack, prefix: pack.replaceAll("-", "_"), identifier: `${camelCase}Pack` };
}
