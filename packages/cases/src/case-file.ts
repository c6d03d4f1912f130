import path from "node:path";
import { describeIssues } from "@toolpacks/core";
import { VFile } from "vfile";
import { matter } from "vfile-matter";
import type { z } from "zod";
import { CaseError } from "./case-error.ts";
import { expectationSchema, fieldsAt, type Expectation } from "./expectation.ts";

/** A prompt, and what must come of it. */
export interface CaseFile {
  readonly file: string;
  /** Of the front matter, or the file's name. */
  readonly id: string;
  readonly prompt: string;
  /** Absent where there is no front matter: the prompt is then only run. */
  readonly expectation?: Expectation;
}

/**
 * Reads a Markdown file: front matter, if there is any, and below it the prompt.
 *
 * @throws CaseError that names the file, the field and what would be accepted
 */
export function readCaseFile(text: string, file: string): CaseFile {
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const { fields, prompt } = separate(source, file);
  if (prompt === "") throw new CaseError(`${file}: expected a prompt${fields ? " below the front matter" : ""}`);
  const name = path.basename(file, path.extname(file));
  if (fields === undefined) return { file, id: name, prompt };
  const read = expectationSchema.safeParse(fields.value);
  if (!read.success) throw new CaseError(`${file}: ${describe(read.error.issues)}`);
  return { file, id: read.data.id ?? name, prompt, expectation: read.data };
}

/** @throws CaseError when two of them have one id, by which nobody could tell their results apart */
export function checkIds(cases: readonly CaseFile[]): void {
  const files = new Map<string, string>();
  for (const { id, file } of cases) {
    const other = files.get(id);
    if (other !== undefined) throw new CaseError(`${file}: id: expected another than ${id}, which is that of ${other}`);
    files.set(id, file);
  }
}

const begins = /^---[ \t]*\n/;
const isWhole = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/;

interface Parts {
  readonly fields?: { readonly value: unknown };
  readonly prompt: string;
}

function separate(source: string, file: string): Parts {
  if (!begins.test(source)) return { prompt: source.trim() };
  if (!isWhole.test(source)) {
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
      const told = describeIssues([issue], fieldsAt([]));
      const isNested = issue.code === "unrecognized_keys" && issue.path.length > 0;
      return isNested ? `${told} (accepted: ${fieldsAt(issue.path).join(", ")})` : told;
    })
    .join("; ");
}
