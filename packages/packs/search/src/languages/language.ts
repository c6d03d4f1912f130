import type { DefinitionRules } from "./definitions/definition.ts";
import { c } from "./definitions/c.ts";
import { cpp } from "./definitions/cpp.ts";
import { javascript, typescript } from "./definitions/ecmascript.ts";
import { go } from "./definitions/go.ts";
import { java } from "./definitions/java.ts";
import { python } from "./definitions/python.ts";
import { rust } from "./definitions/rust.ts";

/** A language that files are parsed as. */
export interface Language {
  /** As callers name it. */
  readonly name: LanguageName;
  /** As the parser knows it. */
  readonly parser: string;
  readonly extensions: readonly string[];
  readonly definitions: DefinitionRules;
  /** A function around statements: a pattern may mean another thing at the top of a file. */
  readonly around?: readonly [before: string, after: string];
}

export const languageNames = ["typescript", "javascript", "python", "go", "rust", "java", "c", "cpp"] as const;

export type LanguageName = (typeof languageNames)[number];

const languages: readonly Language[] = [
  { name: "typescript", parser: "TypeScript", extensions: ["ts", "mts", "cts"], definitions: typescript },
  { name: "typescript", parser: "Tsx", extensions: ["tsx"], definitions: typescript },
  { name: "javascript", parser: "JavaScript", extensions: ["js", "mjs", "cjs", "jsx"], definitions: javascript },
  { name: "python", parser: "python", extensions: ["py", "pyi"], definitions: python },
  { name: "go", parser: "go", extensions: ["go"], definitions: go, around: ["package p\nfunc f() {\n", "\n}"] },
  { name: "rust", parser: "rust", extensions: ["rs"], definitions: rust },
  { name: "java", parser: "java", extensions: ["java"], definitions: java },
  { name: "c", parser: "c", extensions: ["c", "h"], definitions: c, around: ["void f(void) {\n", ";\n}"] },
  {
    name: "cpp",
    parser: "cpp",
    extensions: ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp"],
    definitions: cpp,
    around: ["void f() {\n", ";\n}"],
  },
];

/** The globs of the files of a language, or of every one. */
export function languageGlobs(name?: LanguageName): readonly string[] {
  const chosen = languages.filter((one) => name === undefined || one.name === name);
  const extensions = chosen.flatMap((one) => one.extensions);
  return [...extensions, ...(name === "cpp" ? ["h"] : [])].map((extension) => `*.${extension}`);
}

/** The language that a parser parses. */
export function languageOfParser(parser: string): Language | undefined {
  return languages.find((one) => one.parser === parser);
}

/**
 * The language of a file by its name, or as one that was asked for; undefined where it is none of these. A header is C++ where
 * it looks so.
 */
export function languageOf(path: string, source: string, asked?: LanguageName): Language | undefined {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const isHeader = extension === "h" && (asked === "cpp" || (asked === undefined && looksLikeCpp.test(source)));
  const found = isHeader
    ? languages.find(({ name }) => name === "cpp")
    : languages.find(({ extensions }) => extensions.includes(extension));
  if (asked === undefined || found?.name === asked) return found;
  return languages.find(({ name }) => name === asked);
}

const looksLikeCpp = /^\s*(?:class|namespace|template|using|public:|private:)\b/m;
