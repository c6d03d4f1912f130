import type { Tool } from "@toolpacks/core";
import { createRoots } from "@toolpacks/files";
import { canvasRead } from "./canvas-read.ts";
import { canvasRender } from "./canvas-render.ts";
import { canvasUpdate } from "./canvas-update.ts";
import { canvasWrite } from "./canvas-write.ts";

interface Options {
  readonly roots: readonly string[];
  readonly write: boolean;
  readonly protectedPaths: readonly string[];
}

/** Creates the tools that the options allow, in the order of the tool list. */
export function createTools({ roots: directories, write, protectedPaths }: Options): readonly Tool[] {
  const roots = createRoots(directories, { protectedPaths });
  const reading = [canvasRead(roots), canvasRender(roots)];
  return write ? [...reading, canvasWrite(roots), canvasUpdate(roots)] : reading;
}
