import path from "node:path";
import { ConfigurationError, describeIssues, isObject } from "@toolpacks/core";
import { parseYaml } from "@toolpacks/settings/formats";
import type { z } from "zod";
import { expectationSchema, fieldsAt, type Expectation } from "./expectation.ts";

/** A prompt, and the expected calls and answer. */
export interface CaseFile {
  readonly file: string;
  /** Id in the front matter, or the file's name. */
  readonly id: string;
  readonly prompt: string;
  /** Absent when there is no front matter: the prompt is run without checks. */
  readonly expectation?: Expectation;
}

/**
 * Reads a Markdown file: optional front matter, and the prompt below it.
 *
 * @throws ConfigurationError that names the file, the field and the accepted values
 */
export function readCaseFile(text: string, file: string): CaseFile {
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const { fields, prompt } = splitFrontMatter(source, file);
  if (prompt === "")
    throw new ConfigurationError(`${file}: expected a prompt${fields ? " below the front matter" : ""}`);
  const name = path.basename(file, path.extname(file));
  if (fields === undefined) return { file, id: name, prompt };
  const read = expectationSchema.safeParse(fields.value);
  if (!read.success) throw new ConfigurationError(`${file}: ${describe(read.error.issues)}`);
  return { file, id: read.data.id ?? name, prompt, expectation: read.data };
}

/** Checks that ids are unique, since results are listed by id. @throws ConfigurationError when two cases have the same id */
export function checkIds(cases: readonly CaseFile[]): void {
  const files = new Map<string, string>();
  for (const { id, file } of cases) {
    const other = files.get(id);
    if (other !== undefined)
      throw new ConfigurationError(`${file}: id: expected a unique id; ${other} has the id ${id} too`);
    files.set(id, file);
  }
}

const frontMatterStart = /^---[ \t]*\n/;
const frontMatter = /^---[ \t]*(\n(?:[\s\S]*?\n)?)---[ \t]*(?:\n|$)/;

/** In characters. */
const maxFrontMatter = 65_536;

interface Parts {
  readonly fields?: { readonly value: unknown };
  readonly prompt: string;
}

function splitFrontMatter(source: string, file: string): Parts {
  if (!frontMatterStart.test(source)) return { prompt: source.trim() };
  const [block, yaml] = frontMatter.exec(source) ?? [];
  if (block === undefined || yaml === undefined)
    throw new ConfigurationError(`${file}: front matter: expected a line of --- at its end`);
  if (block.length > maxFrontMatter)
    throw new ConfigurationError(`${file}: front matter: expected at most ${maxFrontMatter} characters`);
  const value = parseYaml(file, yaml) ?? {};
  if (!isObject(value))
    throw new ConfigurationError(`${file}: front matter: expected fields (${fieldsAt([]).join(", ")})`);
  return { fields: { value }, prompt: source.slice(block.length).trim() };
}

function describe(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .map((issue) => {
      const description = describeIssues([issue], fieldsAt([]));
      const isNested = issue.code === "unrecognized_keys" && issue.path.length > 0;
      return isNested ? `${description} (accepted: ${fieldsAt(issue.path).join(", ")})` : description;
    })
    .join("; ");
}
