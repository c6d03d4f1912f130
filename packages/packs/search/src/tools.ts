import type { Tool } from "@toolpacks/core";
import { createRoots } from "@toolpacks/files";
import type { SearchContext } from "./context.ts";
import { searchCode } from "./search-code.ts";
import { searchFiles } from "./search-files.ts";
import { searchSymbols } from "./search-symbols.ts";
import { searchText } from "./search-text.ts";

interface Options extends Omit<SearchContext, "roots"> {
  readonly roots: readonly string[];
}

export function createTools({ roots, ...settings }: Options): readonly Tool[] {
  const context = { ...settings, roots: createRoots(roots) };
  return [searchText(context), searchFiles(context), searchCode(context), searchSymbols(context)];
}
