export { ToolError } from "@toolpacks/core";
export { type EntryContent, readEntry, writeEntry } from "./entry-content.ts";
export { acceptRoots, type ClientRoots } from "./accept-roots.ts";
export { fileError, hasCode } from "./file-error.ts";
export { withFileLock } from "./file-lock.ts";
export { globHint } from "./glob-hint.ts";
export { compileGlob } from "./glob.ts";
export { makeDirectory } from "./make-directories.ts";
export { openExisting } from "./open-existing.ts";
export { openFound } from "./open-found.ts";
export { pathField } from "./path-field.ts";
export { type PinnedDirectory, openDirectory } from "./pinned-directory.ts";
export { makePrivateFile, makePrivateFolder, readPrivateFile, tightenFile, writePrivateFile } from "./private-files.ts";
export { type Access, type ProtectionOptions, protectedNames } from "./protection.ts";
export { readRegularFile } from "./read-regular-file.ts";
export { realPath } from "./real-path.ts";
export { type Root, isInside } from "./root-paths.ts";
export { type RootEntry, type RootEntryOptions, type Roots, createRoots } from "./roots.ts";
export { trashName, unlistedNames } from "./unlisted-names.ts";
export { type Walk, type WalkEntry, walkFolder } from "./walk.ts";
export {
  type AtomicContent,
  cutName,
  isTemporaryName,
  renameEntry,
  renameToFreeName,
  temporaryName,
  writeAtomically,
  writeAtomicallySync,
} from "./write-atomically.ts";
