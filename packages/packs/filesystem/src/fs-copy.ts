import { defineTool } from "@toolpacks/core";
import type { FilesystemContext } from "./context.ts";
import { renderTransfer, transfer, transferInput, transferOutput } from "./transfer.ts";

/** `fs_copy`: copies a file or directory. */
export function fsCopy({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_copy",
    description: "Copy a file or folder.",
    keywords: ["duplicate file", "cp"],
    examples: [{ args: { from: "config.example.json", to: "config.json" } }],
    mutates: true,
    effects: {
      files: ({ to, overwrite }) => [{ path: roots.absolute(to), follow: false, onlyIfMissing: overwrite !== true }],
    },
    input: transferInput,
    output: transferOutput,
    text: (transferred) => renderTransfer("copied", transferred),
    handler: (request, context) => transfer({ ...request, roots, context, mode: "copy" }),
  });
}
