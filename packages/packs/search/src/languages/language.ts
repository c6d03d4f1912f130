import { named, type DefinitionRules, type ObjectRules } from "./definitions/definition.ts";
import { c } from "./definitions/c.ts";
import { cpp } from "./definitions/cpp.ts";
import { javascript, objects, typescript } from "./definitions/ecmascript.ts";
import { go } from "./definitions/go.ts";
import { rust } from "./definitions/rust.ts";
import type { ParserName } from "./parser-files.ts";

export interface Language {
  /** The name in tool arguments. */
  readonly name: LanguageName;
  /** The parser's name of the language. */
  readonly parser: ParserName;
  readonly extensions: readonly string[];
  readonly definitions: DefinitionRules;
  /** Object literals with members, in languages that have them. */
  readonly objects?: ObjectRules;
  /** The kinds of syntax nodes that are names. */
  readonly identifiers: readonly string[];
  /** The kinds of syntax nodes that import names. */
  readonly imports: readonly string[];
  /** Source code for a function around a pattern. A pattern may parse differently at the top of a file. */
  readonly functionWrapper?: readonly [before: string, after: string];
}

export const languageNames = ["typescript", "javascript", "python", "go", "rust", "java", "c", "cpp"] as const;

export type LanguageName = (typeof languageNames)[number];

const scriptNames = [
  "identifier",
  "property_identifier",
  "private_property_identifier",
  "shorthand_property_identifier",
  "shorthand_property_identifier_pattern",
];
const typedNames = ["identifier", "field_identifier", "type_identifier"];

const typescriptRules = {
  name: "typescript",
  definitions: typescript,
  objects,
  identifiers: [...scriptNames, "type_identifier"],
  imports: ["import_statement"],
} as const;

const languages: readonly Language[] = [
  { ...typescriptRules, parser: "typescript", extensions: ["ts", "mts", "cts"] },
  { ...typescriptRules, parser: "tsx", extensions: ["tsx"] },
  {
    name: "javascript",
    parser: "javascript",
    extensions: ["js", "mjs", "cjs", "jsx"],
    definitions: javascript,
    objects,
    identifiers: scriptNames,
    imports: ["import_statement"],
  },
  {
    name: "python",
    parser: "python",
    extensions: ["py", "pyi"],
    definitions: { class_definition: named("class"), function_definition: named("function") },
    identifiers: ["identifier"],
    imports: ["import_statement", "import_from_statement"],
  },
  {
    name: "go",
    parser: "go",
    extensions: ["go"],
    definitions: go,
    identifiers: typedNames,
    imports: ["import_declaration"],
    functionWrapper: ["package p\nfunc f() {\n", "\n}"],
  },
  {
    name: "rust",
    parser: "rust",
    extensions: ["rs"],
    definitions: rust,
    identifiers: [...typedNames, "shorthand_field_identifier"],
    imports: ["use_declaration"],
  },
  {
    name: "java",
    parser: "java",
    extensions: ["java"],
    definitions: {
      class_declaration: named("class"),
      record_declaration: named("class"),
      interface_declaration: named("interface"),
      annotation_type_declaration: named("interface"),
      enum_declaration: named("enum"),
      method_declaration: named("method"),
      constructor_declaration: named("constructor"),
      compact_constructor_declaration: named("constructor"),
    },
    identifiers: ["identifier", "type_identifier"],
    imports: ["import_declaration"],
  },
  {
    name: "c",
    parser: "c",
    extensions: ["c", "h"],
    definitions: c,
    identifiers: typedNames,
    imports: [],
    functionWrapper: ["void f(void) {\n", ";\n}"],
  },
  {
    name: "cpp",
    parser: "cpp",
    extensions: ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp"],
    definitions: cpp,
    identifiers: [...typedNames, "namespace_identifier"],
    imports: ["using_declaration"],
    functionWrapper: ["void f() {\n", ";\n}"],
  },
];

/** The globs for files of one language, or of all languages. */
export function languageGlobs(name?: LanguageName): readonly string[] {
  const chosen = languages.filter((one) => name === undefined || one.name === name);
  const extensions = chosen.flatMap((one) => one.extensions);
  return [...extensions, ...(name === "cpp" ? ["h"] : [])].map((extension) => `*.${extension}`);
}

export function languageOfParser(parser: ParserName): Language | undefined {
  return languages.find((one) => one.parser === parser);
}

/**
 * Finds the language of a file: the requested one, otherwise by the file's extension. Undefined if it is not supported. A header is C++ if its source
 * looks like C++.
 */
export function languageOf(path: string, source: string, wanted?: LanguageName): Language | undefined {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const isHeader = extension === "h" && (wanted === "cpp" || (wanted === undefined && looksLikeCpp.test(source)));
  const found = isHeader
    ? languages.find(({ name }) => name === "cpp")
    : languages.find(({ extensions }) => extensions.includes(extension));
  if (wanted === undefined || found?.name === wanted) return found;
  return languages.find(({ name }) => name === wanted);
}

const looksLikeCpp = /^[ \t]*(?:class|namespace|template|using|public:|private:)\b/m;
