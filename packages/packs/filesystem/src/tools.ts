import type { Tool } from "@toolpacks/core";
import { createRoots } from "@toolpacks/files";
import type { FilesystemContext } from "./context.ts";
import { fsCopy } from "./fs-copy.ts";
import { fsDelete } from "./fs-delete.ts";
import { fsEdit } from "./fs-edit.ts";
import { fsList } from "./fs-list.ts";
import { fsMkdir } from "./fs-mkdir.ts";
import { fsMove } from "./fs-move.ts";
import { fsRead } from "./fs-read.ts";
import { fsStat } from "./fs-stat.ts";
import { fsWrite } from "./fs-write.ts";

interface Options extends Omit<FilesystemContext, "roots"> {
  readonly roots: readonly string[];
  readonly write: boolean;
  readonly protect: boolean | readonly string[];
  readonly protectedPaths: readonly string[];
}

/** Creates the tools that the options allow, in the order of the tool list. */
export function createTools({ roots, write, protect, protectedPaths, ...settings }: Options): readonly Tool[] {
  const context = { ...settings, roots: createRoots(roots, { protect, protectedPaths }) };
  const reading = [fsRead(context), fsList(context), fsStat(context)];
  const writing = [fsWrite, fsEdit, fsMove, fsCopy, fsDelete, fsMkdir];
  return write ? [...reading, ...writing.map((create) => create(context))] : reading;
}
