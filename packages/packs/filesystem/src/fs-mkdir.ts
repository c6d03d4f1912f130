import { defineTool } from "@toolpacks/core";
import { pathField } from "@toolpacks/core/roots";
import { z } from "zod";
import type { FilesystemContext } from "./context.ts";
import { makeDirectories } from "./make-directories.ts";

const input = z.object({ path: pathField.describe("folder to make") });
const output = z.object({ path: z.string(), created: z.boolean() });

/** `fs_mkdir`: makes a directory and its missing parents. */
export function fsMkdir({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_mkdir",
    description: "Make a folder and its parents.",
    keywords: ["create directory", "new folder"],
    examples: [{ args: { path: "docs/images" } }],
    mutates: true,
    effects: { destructive: false, idempotent: true },
    input,
    output,
    text: ({ path, created }) => (created ? `made ${path}` : `${path} exists already`),
    handler: async ({ path }) => ({ path, created: await makeDirectories(roots, path) }),
  });
}
