import { statSync } from "node:fs";
import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import { isInside, realPath } from "@toolpacks/files";
import type { Settings } from "../config/settings.ts";
import { rootsOf } from "./pack-roots.ts";
import type { Access } from "@toolpacks/access";

/**
 * The settings of a caller with this access, for its roots and workspaces.
 *
 * @throws ConfigurationError for a root outside of the server's roots, or a workspace that the settings do not allow
 */
export function narrowSettings(settings: Settings, access: Pick<Access, "roots" | "workspaces">): Settings {
  const { roots, workspaces } = access;
  const problems = [...rootProblems(settings, roots), ...workspaceProblems(settings, workspaces)];
  if (problems.length > 0) throw new ConfigurationError(problems.join("; "));
  if (roots === undefined) return settings;
  const folders = [...new Set(roots.map(realPath))];
  const narrow = (parents: readonly string[]) => {
    const real = parents.map(realPath);
    return folders.filter((folder) => real.some((parent) => isInside(parent, folder)));
  };
  return { ...settings, roots: { ...settings.roots, narrow } };
}

/** Why roots of an access cannot be granted. The real paths are compared. */
export function rootProblems(settings: Settings, roots: Access["roots"] = []): readonly string[] {
  const accepted = serverRoots(settings);
  const parents = accepted.map(realPath);
  const problemOf = (root: string): string | undefined => {
    if (!path.isAbsolute(root)) return "is relative; expected an absolute path";
    if (accepted.length === 0) return "cannot be granted, since the server has no root; start the server with --root";
    // A folder outside gets the same answer whether it exists or not.
    if (!parents.some((parent) => isInside(parent, realPath(root)))) {
      return `is not within the server's roots; accepted: a folder within ${accepted.join(", ")}`;
    }
    return statSync(root, { throwIfNoEntry: false })?.isDirectory() ? undefined : "is not an existing folder";
  };
  return roots.flatMap((root) => {
    const problem = problemOf(root);
    return problem === undefined ? [] : [`roots: ${JSON.stringify(root)} ${problem}`];
  });
}

function serverRoots(settings: Settings): readonly string[] {
  const ofPacks = Object.keys(settings.packs).flatMap((name) => rootsOf(name, settings).value);
  return [...new Set([...settings.roots.value, ...ofPacks])];
}

/** Why workspaces of an access cannot be granted. */
export function workspaceProblems({ workspaces }: Settings, granted: Access["workspaces"] = []): readonly string[] {
  const { value, origin } = workspaces;
  if (typeof value === "string") return [];
  return granted
    .filter((id) => !value.includes(id))
    .map((id) => `workspaces: ${JSON.stringify(id)} is not among ${value.join(", ")} (${origin})`);
}
