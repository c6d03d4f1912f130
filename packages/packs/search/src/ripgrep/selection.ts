import { unlistedNames } from "@toolpacks/files";

export interface Selection {
  /** Globs of files to search. A glob with `!` excludes files. */
  readonly globs?: readonly string[] | undefined;
  /** ripgrep's file types to search. */
  readonly types?: readonly string[] | undefined;
  /** Globs of file names, without folders, to search. */
  readonly names?: readonly string[] | undefined;
  /** Whether to search ignored files too. */
  readonly ignored?: boolean | undefined;
  /** Whether to search hidden files and folders too. */
  readonly hidden?: boolean | undefined;
}

/** The name of a file type that we define for `names`. A type only excludes files, unlike ripgrep's globs. */
const ownType = "wanted";

/** The globs without `!`. */
export function wantedGlobs({ globs = [] }: Selection): readonly string[] {
  return globs.filter((glob) => !glob.startsWith("!"));
}

/** ripgrep's arguments for a selection, without the wanted globs. */
export function selectionArguments(selection: Selection): readonly string[] {
  const { globs = [], types = [], names = [], hidden = false, ignored = false } = selection;
  const leftOut = globs.filter((glob) => glob.startsWith("!") && glob.length > 1);
  // ripgrep includes hidden files that match a type, so exclude them with a glob.
  const narrowed = types.length > 0 || names.length > 0 || leftOut.length < globs.length;
  return [
    ...(ignored ? ["--no-ignore"] : []),
    ...(hidden ? ["--hidden"] : narrowed ? ["--glob=!.*"] : []),
    ...types.map((type) => `--type=${type}`),
    ...names.map((name) => `--type-add=${ownType}:${name}`),
    ...(names.length > 0 ? [`--type=${ownType}`] : []),
    ...leftOut.map((glob) => `--glob=${glob}`),
    ...[...unlistedNames].map((name) => `--glob=!${name}`),
  ];
}
