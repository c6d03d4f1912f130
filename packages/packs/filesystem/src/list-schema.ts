import { detail, listSchema, type Compaction } from "@toolpacks/core";
import { pathField, type Roots, type WalkEntry, type Walk } from "@toolpacks/files";
import { z } from "zod";

export const maxListDepth = 64;

export const listInput = z.object({
  path: pathField.optional().meta(detail("folder")),
  depth: z.int().min(1).max(maxListDepth).optional().describe("levels; default 1, with glob all"),
  glob: z.string().min(1).max(1000).optional().describe("such as **/*.ts"),
  exclude: z.string().min(1).max(1000).optional().meta(detail("a glob of files to leave out")),
  ignored: z.boolean().optional().meta(detail("what git ignores, too")),
  countBy: z
    .enum(["folder", "extension"])
    .optional()
    .meta(detail("counts of files and their bytes in their place; folders to depth levels, default 1")),
  sort: z
    .enum(["size", "lines", "modified"])
    .optional()
    .meta(detail("files, largest or newest first; with countBy the counts, lines included with lines")),
  limit: z.int().min(0).max(5000).optional().meta(detail("most entries; 0 for the total only")),
  cursor: z.string().max(13_000).optional().meta(detail("next page")),
});

export const listOutput = listSchema(
  z.object({
    path: z.string(),
    type: z.string(),
    files: z.int().optional().describe("with countBy"),
    size: z.int().optional().describe("bytes"),
    lines: z.int().optional().describe("of a text file, sorted by lines"),
    modified: z.string().optional().describe("ISO 8601, UTC, sorted by modified"),
    target: z.string().optional().describe("what a link leads to, where that is inside"),
  }),
).extend({ files: z.int().optional().describe("all files, with countBy") });

export type ListItem = z.output<typeof listOutput>["items"][number];
export type ListPage = z.input<typeof listOutput>;

/** A list of one folder: what was asked, and the walk of the folder. */
export interface ListOptions extends z.output<typeof listInput> {
  readonly roots: Roots;
  readonly walk: Walk;
  readonly compaction: Compaction;
  readonly matches: (entry: WalkEntry) => boolean;
  /** Whether the list has the entries of one folder, and nothing is searched. */
  readonly isShallow: boolean;
}
