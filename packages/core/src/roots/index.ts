export { fileError } from "./file-error.ts";
export { pathField } from "./path-field.ts";
export { openDirectory, type PinnedDirectory } from "./pinned-directory.ts";
export { protectedNames, type Access, type ProtectionOptions } from "./protection.ts";
export { quoteName } from "./quote-name.ts";
export type { Root } from "./resolve-path.ts";
export { createRoots, type Place, type PlaceOptions, type Roots } from "./roots.ts";
export { trashName, unlistedNames } from "./unlisted-names.ts";
