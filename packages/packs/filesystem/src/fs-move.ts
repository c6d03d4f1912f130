import { defineTool } from "@toolpacks/core";
import type { FilesystemContext } from "./context.ts";
import { renderTransfer, transfer, transferInput, transferOutput } from "./transfer.ts";

/** `fs_move`: moves or renames a file or directory. */
export function fsMove({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_move",
    description: "Move or rename a file or folder.",
    keywords: ["rename file", "mv"],
    examples: [{ args: { from: "draft.md", to: "docs/guide.md" } }],
    mutates: true,
    effects: {
      files: ({ from, to, overwrite }) => [
        { path: roots.absolute(from), follow: false, to: roots.absolute(to), onlyIfMissing: overwrite !== true },
      ],
    },
    input: transferInput,
    output: transferOutput,
    text: (transferred) => renderTransfer("moved", transferred),
    handler: (request, context) => transfer({ ...request, roots, context, mode: "move" }),
  });
}
