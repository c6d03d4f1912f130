import { existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import type { PinnedDirectory, RootEntry, Roots } from "@toolpacks/files";

/** The input of one run of ripgrep: an open directory, or one open file. */
export interface Target {
  /** The index among the targets of one search. */
  readonly index: number;
  readonly isLast: boolean;
  /** ripgrep's working directory and path argument. */
  readonly cwd: string;
  readonly argument: string;
  /** The descriptor of the file, if the target is a file. */
  readonly input?: number;
  /** Whether the target is a directory of a git repository. Elsewhere the rules of a `.gitignore` hold too. */
  readonly inRepository: boolean;
  /** Converts ripgrep's path to the caller's path. */
  show(found: string): string;
  /** Converts ripgrep's path to the path below the target, for globs. */
  below(found: string): string;
}

type Turn = Pick<Target, "index" | "isLast">;

/** Opens the file or directory at a path, or each root if the path is absent and there are several. Stops when `use` returns false. */
export async function eachTarget(
  roots: Roots,
  requested: string | undefined,
  use: (target: Target) => Promise<boolean>,
): Promise<void> {
  const all = outermost(roots);
  const chosen = all.length > 1 && (requested ?? ".") === "." ? all : [requested ?? "."];
  for (const [index, one] of chosen.entries()) {
    const turn = { index, isLast: index === chosen.length - 1 };
    let more = false;
    if (await roots.at(one, isFile)) {
      await roots.openFile(one, async (file, _, shown) => {
        more = await use(fileTarget(turn, file.fd, shown));
      });
    } else {
      more = await roots.openDirectory(one, (directory, place) => use(directoryTarget(turn, directory, place)));
    }
    if (!more) return;
  }
}

/** The names of the roots that are not inside another root. */
function outermost({ list }: Roots): readonly string[] {
  return list
    .filter((one) => list.every((other) => other === one || !`${one.path}/`.startsWith(`${other.path}/`)))
    .map(({ name }) => name);
}

async function isFile(place: RootEntry): Promise<boolean> {
  return (await lstat(place.path).catch(() => undefined))?.isFile() === true;
}

function fileTarget(turn: Turn, input: number, shown: string): Target {
  const name = path.basename(shown);
  return { ...turn, cwd: "/", argument: "-", input, inRepository: false, show: () => shown, below: () => name };
}

function isInRepository(directory: string): boolean {
  const above = path.dirname(directory);
  return existsSync(path.join(directory, ".git")) || (above !== directory && isInRepository(above));
}

function directoryTarget(turn: Turn, directory: PinnedDirectory, { shown }: RootEntry): Target {
  const prefix = shown === "." ? "" : `${shown}/`;
  const below = (found: string) => (found.startsWith("./") ? found.slice(2) : found);
  return {
    ...turn,
    cwd: directory.path,
    argument: "./",
    inRepository: isInRepository(directory.real),
    show: (found) => prefix + below(found),
    below,
  };
}
