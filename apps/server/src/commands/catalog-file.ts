import { readFile } from "node:fs/promises";
import path from "node:path";
import { ConfigurationError, errorText } from "@toolpacks/core";
import type { Searchable } from "@toolpacks/surface/search";
import { z } from "zod";

function optional<Value>(schema: z.ZodType<Value>) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A tool as servers and data sets write it. Other fields are ignored. */
const listedTool = z.object({
  name: z.string().min(1),
  description: z.string().nullish(),
  keywords: optional(z.array(z.string())),
  inputSchema: optional(z.record(z.string(), z.unknown())),
  pack: z.string().nullish(),
  server: z.string().nullish(),
});

/** Reads tools from a JSON array or JSONL. @throws ConfigurationError naming the file and the entry that is not a tool */
export async function readCatalog(cwd: string, file: string): Promise<readonly Searchable[]> {
  const tools = await readEntries(path.resolve(cwd, file), { file, what: "tool", schema: listedTool });
  return tools.map(({ description, pack, server, ...tool }) => ({
    ...tool,
    description: description ?? "",
    pack: pack ?? server ?? undefined,
  }));
}

/** Reads queries from JSON lines of the form `{query}`. @throws ConfigurationError naming the file and the entry without a query */
export async function readQueries(cwd: string, file: string): Promise<readonly string[]> {
  const schema = z.object({ query: z.string() });
  const queries = await readEntries(path.resolve(cwd, file), { file, what: "query", schema });
  return queries.map(({ query }) => query);
}

interface EntryForm<Value> {
  /** Name of the file and of an entry, for errors. */
  readonly file: string;
  readonly what: string;
  readonly schema: z.ZodType<Value>;
}

async function readEntries<Value>(at: string, { file, what, schema }: EntryForm<Value>): Promise<readonly Value[]> {
  const text = await readFile(at, "utf8").catch((error: unknown) => {
    throw new ConfigurationError(`${file}: ${errorText(error)}`);
  });
  const entries = text.trimStart().startsWith("[")
    ? (parse(text, file) as readonly unknown[])
    : text.split("\n").flatMap((line, row) => (line.trim() === "" ? [] : [parse(line, `${file}:${row + 1}`)]));
  return entries.map((entry, index) => {
    const { data, error } = schema.safeParse(entry);
    if (data !== undefined) return data;
    const [issue] = error?.issues ?? [];
    throw new ConfigurationError(`${file}: ${what} ${index + 1}: ${issue?.path.join(".")}: ${issue?.message}`);
  });
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConfigurationError(`${place}: not valid JSON: ${errorText(error)}`);
  }
}
