import { defineTool, detail, quoteName } from "@toolpacks/core";
import { pathField } from "@toolpacks/files";
import { z } from "zod";
import type { FilesystemContext } from "./context.ts";

const input = z.object({ path: pathField.meta(detail("folder to make")) });
const output = z.object({ path: z.string(), created: z.boolean() });

/** `fs_mkdir`: creates a directory and its missing parents. */
export function fsMkdir({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_mkdir",
    description: "Make a folder and its parents.",
    keywords: ["create directory", "new folder"],
    examples: [{ args: { path: "docs/images" } }],
    mutates: true,
    effects: {
      destructive: false,
      idempotent: true,
      files: ({ path }) => [{ path: roots.absolute(path), onlyIfMissing: true }],
    },
    input,
    output,
    text: ({ path, created }) => (created ? `made ${quoteName(path)}` : `${quoteName(path)} exists already`),
    handler: async ({ path }, { signal }) => ({ path, created: await roots.makeDirectories(path, { signal }) }),
  });
}
