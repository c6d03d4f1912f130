import { lstat } from "node:fs/promises";
import path from "node:path";
import { defineTool, detail, ToolError, type ToolContext, quoteName } from "@toolpacks/core";
import { makeDirectory, openDirectory, pathField, trashName, type RootEntry, type Roots } from "@toolpacks/files";
import { z } from "zod";
import type { FilesystemContext } from "./context.ts";
import { removeTree, requireNames } from "./copy-tree.ts";
import { moveEntry, nameInTrash, treeOptions } from "./transfer.ts";

const input = z.object({
  path: pathField.meta(detail("file or folder")),
  permanent: z.boolean().optional().describe("not to the trash"),
});

const output = z.object({
  path: z.string(),
  trash: z.string().optional().describe("where it is now; fs_move brings it back"),
});

/** `fs_delete`: moves a file or directory to the root's trash, or deletes it permanently. */
export function fsDelete({ roots }: FilesystemContext) {
  return defineTool({
    name: "fs_delete",
    description: "Delete a file or folder, to the trash.",
    keywords: ["remove file", "rm", "erase", "trash"],
    examples: [{ args: { path: "old.txt" } }],
    mutates: true,
    effects: { files: ({ path }) => [{ path: roots.absolute(path), follow: false }] },
    input,
    output,
    text: ({ path, trash }) =>
      trash === undefined
        ? `removed ${quoteName(path)} for good`
        : `moved ${quoteName(path)} to ${quoteName(trash)}; fs_move brings it back`,
    handler: ({ path, permanent = false }, context) =>
      roots.at(
        path,
        async (place) => {
          await lstat(place.path);
          if (place.holdsRoot) throw new ToolError("invalid_input", "path: a root cannot be deleted");
          if (!permanent) return { path: place.shown, trash: await moveToTrash(roots, place, context) };
          await requireNames(place, context.signal);
          await removeTree(place, treeOptions(context));
          await place.directory.sync();
          return { path: place.shown };
        },
        { follow: false, access: "replace" },
      ),
  });
}

async function moveToTrash(roots: Roots, place: RootEntry, context: ToolContext): Promise<string> {
  const { root } = place;
  const trash = await openTrash(root.path);
  if (trash === undefined) throw new ToolError("denied", `${trashName}: the trash must be a folder of the root itself`);
  try {
    if (place.directory.real === trash.real || path.join(place.directory.real, place.name) === trash.real) {
      throw new ToolError(
        "invalid_input",
        "path: it is in the trash already",
        "Pass permanent: true to remove it for good.",
      );
    }
    const name = nameInTrash(place.name);
    const real = path.join(trash.real, name);
    const target = { ...place, directory: trash, name, path: trash.at(name), shown: roots.show(real) };
    await moveEntry(place, target, treeOptions(context));
    await Promise.all([place.directory.sync(), trash.sync()]);
    return target.shown;
  } finally {
    await trash.close();
  }
}

async function openTrash(root: string) {
  const inside = (real: string) => real === path.join(root, trashName);
  const directory = await openDirectory(root, (real) => real === root);
  if (directory === undefined) return undefined;
  try {
    await makeDirectory(directory, trashName);
    // Fails for a link or a file with the trash's name.
    return await openDirectory(directory.at(trashName), inside).catch(() => undefined);
  } finally {
    await directory.close();
  }
}
