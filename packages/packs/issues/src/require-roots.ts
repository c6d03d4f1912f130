import { ToolError } from "@toolpacks/core";
import type { Roots } from "@toolpacks/files";
import type { IssuesContext } from "./context.ts";

/** @throws ToolError `denied` if there are no roots */
export function requireRoots({ roots }: Pick<IssuesContext, "roots">): Roots {
  if (roots !== undefined) return roots;
  throw new ToolError("denied", "path: no root is given, so no file is reachable", "Start with --root <dir>.");
}
