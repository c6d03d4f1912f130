import {
  coreFacet,
  defineTool,
  detailKeyword,
  listedKeyword,
  renderFailure,
  ToolError,
  unlistedKeyword,
  visibleJson,
  type Catalog,
  type CatalogEntry,
  type Tool,
  type ToolSchema,
} from "@toolpacks/core";
import { z } from "zod";
import type { DescribedResults } from "./describe.ts";

const input = z.object({
  name: z
    .preprocess((value) => (typeof value === "string" ? [value] : value), z.array(z.string().max(200)).max(20))
    .optional()
    .describe("of tools"),
  kind: z.string().max(200).optional().describe("of record"),
  schema: z.boolean().optional().describe("all of it"),
});

const output = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      facet: z.string(),
      mutates: z.boolean(),
      description: z.string().describe("signature, fields, result and example as text"),
      inputSchema: z.record(z.string(), z.unknown()).optional(),
      outputSchema: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  kind: z.string().optional().describe("the kind's fields as text"),
  guidance: z.array(z.string()).optional().describe("what the tools' packs say of all their tools"),
  missing: z.array(z.object({ name: z.string(), reason: z.string() })).optional(),
});

type Description = z.output<typeof output>["tools"][number];

/** `tool_describe`: describes tools of the catalog, the discovery tools, or a kind of record. */
export function toolDescribe(catalog: Catalog, coreTools: () => readonly Tool[]) {
  return defineTool({
    name: "tool_describe",
    description: "Explain tools further, if a found signature is not enough: all fields, the result, an example.",
    keywords: ["help", "parameters", "schema", "usage"],
    mutates: false,
    input,
    output,
    text: ({ tools, kind, guidance = [], missing = [] }) =>
      [
        ...guidance,
        ...tools.map(render),
        ...(kind === undefined ? [] : [kind]),
        ...missing.map(({ name, reason }) => `${name}: ${reason}`),
      ].join("\n\n"),
    handler: async ({ name: names = [], schema = false, kind }) => {
      const wanted = [...new Set(names)];
      const described = await describeRecords(catalog, wanted, { kind, schema });
      if (wanted.length === 0 && described === undefined)
        throw new ToolError("invalid_input", "name: required (of one tool or several), or kind");
      const resolve = (name: string) => {
        const tool = coreTools().find((one) => one.name === name);
        return tool === undefined ? catalog.resolve(name) : { tool, facet: coreFacet };
      };
      const found = await Promise.all(wanted.map(async (name) => ({ name, resolution: await resolve(name) })));
      const entries = found.flatMap(({ resolution }) => ("failure" in resolution ? [] : [resolution]));
      const missing = found.flatMap((one) =>
        "failure" in one.resolution ? [{ name: one.name, failure: one.resolution.failure }] : [],
      );
      const first = missing[0];
      if (entries.length === 0 && first !== undefined)
        throw new ToolError(first.failure.code, first.failure.message, first.failure.hint);
      const guidance = await packGuidance(catalog, entries);
      const results: DescribedResults = new Map();
      return {
        tools: await Promise.all(entries.map((entry) => describe(entry, { schema, results }))),
        kind: described,
        ...(guidance.length > 0 && { guidance }),
        ...(missing.length > 0 && { missing: missing.map((one) => ({ ...one, reason: renderFailure(one.failure) })) }),
      };
    },
  });
}

/** The fields of the named kind; without a name, the names of the kinds when a `store_` tool is described. */
async function describeRecords(
  { packs }: Catalog,
  names: readonly string[],
  { kind: name, schema }: { readonly kind: string | undefined; readonly schema: boolean },
): Promise<string | undefined> {
  const kinds = packs.flatMap((pack) => pack.kinds);
  if (name === undefined) {
    if (!names.some((tool) => tool.startsWith("store_")) || kinds.length === 0) return undefined;
    return `kinds: ${kinds.map((kind) => kind.name).join(", ")}; tool_describe with kind explains one`;
  }
  const kind = kinds.find((one) => one.name === name);
  if (kind !== undefined) return (await import("./render-kind.ts")).renderKind(kind, schema);
  const { unknownKind } = await import("@toolpacks/store");
  throw unknownKind(
    name,
    kinds.map((one) => one.name),
  );
}

interface Detail {
  /** Whether the JSON Schemas are added. */
  readonly schema: boolean;
  readonly results: DescribedResults;
}

async function describe(entry: CatalogEntry, { schema, results }: Detail): Promise<Description> {
  const { tool, facet } = entry;
  return {
    name: tool.name,
    facet,
    mutates: tool.mutates,
    description: await textOf(entry, { schema, results }),
    inputSchema: schema ? fullSchema(tool.input) : undefined,
    outputSchema: schema && tool.output ? fullSchema(tool.output) : undefined,
  };
}

async function textOf(entry: CatalogEntry, { schema, results }: Detail): Promise<string> {
  if (entry.tool.input.zod === undefined && !schema)
    return (await import("./describe-foreign-tool.ts")).describeForeignTool(entry);
  return (await import("./describe.ts")).describeTool(entry, results);
}

/** The JSON Schema with every limit. The version of JSON Schema, and keywords that only say what lists leave out, are removed. */
function fullSchema(schema: ToolSchema): Record<string, unknown> {
  const isMark = (keyword: string, value: unknown) =>
    keyword === "$schema" ||
    keyword === listedKeyword ||
    (value === true && (keyword === detailKeyword || keyword === unlistedKeyword));
  const text = JSON.stringify(schema.full(), (keyword, value: unknown) => (isMark(keyword, value) ? undefined : value));
  return JSON.parse(text) as Record<string, unknown>;
}

function render({ description, inputSchema, outputSchema }: Description): string {
  return [
    description,
    ...(inputSchema === undefined ? [] : [`input schema: ${visibleJson(inputSchema)}`]),
    ...(outputSchema === undefined ? [] : [`output schema: ${visibleJson(outputSchema)}`]),
  ].join("\n");
}

async function packGuidance(catalog: Catalog, entries: readonly CatalogEntry[]): Promise<string[]> {
  const facets = new Set(entries.map(({ facet }) => facet));
  const texts = await Promise.all(
    catalog.packs.map(async (pack) => {
      const text = facets.has(pack.name) ? await catalog.instructionsOf(pack) : undefined;
      return text === undefined ? [] : [`${pack.name}: ${text}`];
    }),
  );
  return texts.flat();
}
