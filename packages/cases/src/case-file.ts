import path from "node:path";
import { describeIssues } from "@toolpacks/core";
import { VFile } from "vfile";
import { matter } from "vfile-matter";
import type { z } from "zod";
import { CaseError } from "./case-error.ts";
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
 * @throws CaseError that names the file, the field and the accepted values
 */
export function readCaseFile(text: string, file: string): CaseFile {
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const { fields, prompt } = splitFrontMatter(source, file);
  if (prompt === "") throw new CaseError(`${file}: expected a prompt${fields ? " below the front matter" : ""}`);
  const name = path.basename(file, path.extname(file));
  if (fields === undefined) return { file, id: name, prompt };
  const read = expectationSchema.safeParse(fields.value);
  if (!read.success) throw new CaseError(`${file}: ${describe(read.error.issues)}`);
  return { file, id: read.data.id ?? name, prompt, expectation: read.data };
}

/** Checks that ids are unique, since results are listed by id. @throws CaseError when two cases have the same id */
export function checkIds(cases: readonly CaseFile[]): void {
  const files = new Map<string, string>();
  for (const { id, file } of cases) {
    const other = files.get(id);
    if (other !== undefined) throw new CaseError(`${file}: id: expected a unique id; ${other} has the id ${id} too`);
    files.set(id, file);
  }
}

const frontMatterStart = /^---[ \t]*\n/;
const frontMatterBlock = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/;

interface Parts {
  readonly fields?: { readonly value: unknown };
  readonly prompt: string;
}

function splitFrontMatter(source: string, file: string): Parts {
  if (!frontMatterStart.test(source)) return { prompt: source.trim() };
  if (!frontMatterBlock.test(source)) {
    throw new CaseError(`${file}: front matter: expected a line of --- at its end`);
  }
  const parsed = new VFile({ value: source });
  try {
    matter(parsed, { strip: true });
  } catch (error) {
    const cause = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    throw new CaseError(`${file}: front matter: expected YAML (${cause.replace(/:$/, "")})`);
  }
  const value = parsed.data["matter"] ?? {};
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new CaseError(`${file}: front matter: expected fields (${fieldsAt([]).join(", ")})`);
  }
  return { fields: { value }, prompt: String(parsed).trim() };
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
