import { lstat } from "node:fs/promises";
import path from "node:path";
import type { PinnedDirectory, RootEntry, Roots } from "@toolpacks/core/roots";

/** What one run of ripgrep searches: a directory that is held open, or one file. */
export interface Target {
  /** Its place among those of one search. */
  readonly index: number;
  readonly isLast: boolean;
  /** Where ripgrep runs, and what it is told to search there. */
  readonly cwd: string;
  readonly argument: string;
  /** The open file, where it is one. */
  readonly input?: number;
  /** The real paths of the directory, where it is one, and of its root. */
  readonly real?: string;
  readonly root?: string;
  /** The path of what ripgrep found as callers know it. */
  show(found: string): string;
  /** Its path below the target, for globs. */
  below(found: string): string;
}

type Turn = Pick<Target, "index" | "isLast">;

/** Opens what a path names, or every root where there are several and it names none, one after the other, while `use` wants more. */
export async function eachTarget(
  roots: Roots,
  given: string | undefined,
  use: (target: Target) => Promise<boolean>,
): Promise<void> {
  const all = outermost(roots);
  const chosen = all.length > 1 && (given ?? ".") === "." ? all : [given ?? "."];
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

/** The names of the roots that lie in no other. */
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
  return { ...turn, cwd: "/", argument: "-", input, show: () => shown, below: () => name };
}

function directoryTarget(turn: Turn, directory: PinnedDirectory, { root, shown }: RootEntry): Target {
  const prefix = shown === "." ? "" : `${shown}/`;
  const below = (found: string) => (found.startsWith("./") ? found.slice(2) : found);
  return {
    ...turn,
    cwd: directory.path,
    argument: "./",
    real: directory.real,
    root: root.path,
    show: (found) => prefix + below(found),
    below,
  };
}
