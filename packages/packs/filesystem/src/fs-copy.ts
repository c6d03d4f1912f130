import { defineTool } from "@toolpacks/core";
import { quoteName } from "@toolpacks/core/roots";
import type { FilesystemContext } from "./context.ts";
import { transfer, transferInput, transferOutput } from "./transfer.ts";

/** `fs_copy`: copies a file or directory. */
export function fsCopy({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_copy",
    description: "Copy a file or folder.",
    keywords: ["duplicate file", "cp"],
    examples: [{ args: { from: "config.example.json", to: "config.json" } }],
    mutates: true,
    input: transferInput,
    output: transferOutput,
    text: ({ from, to }) => `copied ${quoteName(from)} to ${quoteName(to)}`,
    handler: (request, context) => transfer({ ...request, roots, context, mode: "copy" }),
  });
}
