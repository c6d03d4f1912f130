import { lstat, readFile } from "node:fs/promises";
import { defineTool, detail, quoteName } from "@toolpacks/core";
import { openExisting, pathField, type RootEntry, type Roots } from "@toolpacks/files";
import { z } from "zod";
import type { FilesystemContext } from "./context.ts";
import { entryType } from "./entry-type.ts";
import { decodeText, detectType } from "./text-file.ts";

const input = z.object({ path: pathField.meta(detail("file or folder")) });

const output = z.object({
  path: z.string(),
  type: z.string(),
  size: z.int().describe("bytes"),
  modified: z.string().describe("ISO 8601, UTC"),
  mode: z.string().describe("octal"),
  encoding: z.string().optional(),
  lines: z.int().optional(),
  mimeType: z.string().optional(),
  target: z.string().optional().describe("what a link leads to, where that is inside"),
});

/** Maximum size of a file whose lines are counted. */
const maxCountedBytes = 4 * 1024 * 1024;

/** `fs_stat`: describes a file, directory or link. */
export function fsStat({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_stat",
    description: "Tell a path's type, size, time, encoding and lines.",
    keywords: ["metadata", "exists", "how big", "when changed", "file info"],
    examples: [{ args: { path: "package.json" } }],
    mutates: false,
    input,
    output,
    text: (stat) =>
      Object.entries(stat)
        .map(([field, value]) => `${field}: ${typeof value === "string" ? quoteName(value) : value}`)
        .join("\n"),
    handler: ({ path }) => roots.at(path, (place) => describe(roots, place), { follow: false }),
  });
}

async function describe(roots: Roots, place: RootEntry): Promise<z.input<typeof output>> {
  const stats = await lstat(place.path);
  return {
    path: place.shown,
    type: entryType(stats),
    size: stats.size,
    modified: stats.mtime.toISOString(),
    mode: (stats.mode & 0o7777).toString(8).padStart(4, "0"),
    ...(stats.isFile() && stats.size <= maxCountedBytes && (await describeContent(place))),
    ...(stats.isSymbolicLink() && (await describeTarget(roots, place))),
  };
}

async function describeContent(place: RootEntry): Promise<Partial<z.input<typeof output>>> {
  const file = await openExisting(place);
  if (file === undefined) return {};
  try {
    const bytes = await readFile(file);
    const text = decodeText(bytes);
    if (text === undefined) return { mimeType: (await detectType(bytes)) ?? "application/octet-stream" };
    const lines = text.text === "" ? 0 : text.text.split("\n").length - (text.text.endsWith("\n") ? 1 : 0);
    return { encoding: `${text.encoding}${text.bom ? " with BOM" : ""}`, lines };
  } finally {
    await file.close();
  }
}

async function describeTarget(roots: Roots, place: RootEntry): Promise<{ target?: string }> {
  const target = await roots.at(place.shown, async (at) => at.shown).catch(() => undefined);
  return target === undefined ? {} : { target };
}
