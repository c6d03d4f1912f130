export { fileError } from "./file-error.ts";
export { pathField } from "./path-field.ts";
export { openDirectory, type PinnedDirectory } from "./pinned-directory.ts";
export { createRoots, type Place, type PlaceOptions, type Root, type Roots } from "./roots.ts";
export { trashName, unlistedNames } from "./unlisted-names.ts";
