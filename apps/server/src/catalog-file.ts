import { readFile } from "node:fs/promises";
import path from "node:path";
import { ConfigurationError, errorText } from "@toolpacks/core";
import type { Searchable } from "@toolpacks/surface/search";
import { z } from "zod";

/** A tool as servers and data sets write it. Other fields are ignored. */
const listedTool = z.object({
  name: z.string().min(1),
  description: z.string().nullish(),
  keywords: z.array(z.string()).nullish(),
  inputSchema: z.record(z.string(), z.unknown()).nullish(),
  pack: z.string().nullish(),
  server: z.string().nullish(),
});

/**
 * Reads tools from a JSON array or JSONL.
 *
 * @throws ConfigurationError naming the file and the entry that is not a tool
 */
export async function readCatalog(cwd: string, file: string): Promise<readonly Searchable[]> {
  const entries = await readEntries(cwd, file);
  return entries.map((entry, at) => {
    const { name, description, keywords, inputSchema, pack, server } = check(
      listedTool,
      entry,
      `${file}: tool ${at + 1}`,
    );
    return {
      name,
      pack: pack ?? server ?? undefined,
      description: description ?? "",
      keywords: keywords ?? undefined,
      inputSchema: inputSchema ?? undefined,
    };
  });
}

/**
 * Reads queries from JSON lines of the form `{query}`.
 *
 * @throws ConfigurationError naming the file and the entry without a query
 */
export async function readQueries(cwd: string, file: string): Promise<readonly string[]> {
  const entries = await readEntries(cwd, file);
  return entries.map((entry, at) => check(z.object({ query: z.string() }), entry, `${file}: query ${at + 1}`).query);
}

async function readEntries(cwd: string, file: string): Promise<readonly unknown[]> {
  const text = await readFile(path.resolve(cwd, file), "utf8").catch((error: unknown) => {
    throw new ConfigurationError(`${file}: ${errorText(error)}`);
  });
  if (text.trimStart().startsWith("[")) return parse(text, file) as readonly unknown[];
  return text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [parse(line, `${file}:${at + 1}`)]));
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConfigurationError(`${place}: not valid JSON: ${errorText(error)}`);
  }
}

function check<Schema extends z.ZodType>(schema: Schema, entry: unknown, place: string): z.output<Schema> {
  const parsed = schema.safeParse(entry);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigurationError(`${place}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
}
