import { selectionArguments, type Selection } from "../ripgrep/selection.ts";
import type { FilesRequest } from "./files-request.ts";

export function selectionOf({ glob, hidden, ignored }: FilesRequest): Selection {
  return { ...(glob !== undefined && { globs: [glob] }), hidden, ignored };
}

/** ripgrep's arguments to list files. */
export function fileArguments(request: FilesRequest): readonly string[] {
  return [...selectionArguments(selectionOf(request)), "--files", "--null"];
}

/** The arguments that must be the same for all pages of a search. */
export function searchKeyOf({ limit: _limit, cursor: _cursor, ...searchKey }: FilesRequest): unknown {
  return searchKey;
}
