/** The folder inside each root that deleted entries are moved to. */
export const trashName = ".trash";

/** Names that lists and searches leave out at any depth: git's files and deleted files. */
export const unlistedNames: ReadonlySet<string> = new Set([".git", trashName]);
