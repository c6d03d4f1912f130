/** The folder inside each root that deleted entries are moved to. */
export const trashName = ".trash";

/** What no list and no search shows, at any depth: git's own files, and deleted ones. */
export const unlistedNames: ReadonlySet<string> = new Set([".git", trashName]);
