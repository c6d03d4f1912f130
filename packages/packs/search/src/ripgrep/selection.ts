import { unlistedNames } from "@toolpacks/core/roots";

/** Which files of a tree are searched. */
export interface Selection {
  /** Those that one of them matches; `!` in front leaves out. */
  readonly globs?: readonly string[] | undefined;
  /** Those of ripgrep's file types. */
  readonly types?: readonly string[] | undefined;
  /** Those whose name, without folders, one of them matches. */
  readonly names?: readonly string[] | undefined;
  /** Those that `.gitignore` and `.ignore` leave out, too. */
  readonly ignored?: boolean | undefined;
  /** Those whose name, or a folder's above them, begins with a dot, too. */
  readonly hidden?: boolean | undefined;
}

/** A type of our own narrows as ripgrep's types do, and not as its globs. */
const ownType = "wanted";

/** The globs that name files to search. */
export function wantedGlobs({ globs = [] }: Selection): readonly string[] {
  return globs.filter((glob) => !glob.startsWith("!"));
}

/** ripgrep's arguments for everything in a selection but the wanted globs and the ignore files. */
export function selectionArguments(selection: Selection): readonly string[] {
  const { globs = [], types = [], names = [], hidden = false } = selection;
  const leftOut = globs.filter((glob) => glob.startsWith("!") && glob.length > 1);
  // A type shows hidden files, which no ignore rule then leaves out.
  const narrowed = types.length > 0 || names.length > 0 || leftOut.length < globs.length;
  return [
    ...(hidden ? ["--hidden"] : narrowed ? ["--glob=!.*"] : []),
    ...types.map((type) => `--type=${type}`),
    ...names.map((name) => `--type-add=${ownType}:${name}`),
    ...(names.length > 0 ? [`--type=${ownType}`] : []),
    ...leftOut.map((glob) => `--glob=${glob}`),
    ...[...unlistedNames].map((name) => `--glob=!${name}`),
  ];
}
