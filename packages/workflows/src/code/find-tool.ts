import type { CatalogEntry, Failure, ToolAccess } from "@toolpacks/core";

/** Finds a tool by its name, or by its pack and its name with or without its prefix: `["issues", "ready"]` is `issue_ready`. */
export async function findTool(
  access: Pick<ToolAccess, "resolve" | "entries">,
  path: readonly string[],
): Promise<CatalogEntry | { readonly failure: Failure }> {
  const found = await access.resolve(path.join("_"));
  const [pack, name] = path;
  if (!("failure" in found) || name === undefined) return found;
  const ofPack = (await access.entries()).filter(({ facet }) => facet === pack);
  return ofPack.find(({ tool }) => tool.name === name || nameInPack(tool.name) === name) ?? found;
}

/** `ready` of `issue_ready`. */
export function nameInPack(name: string): string {
  return name.replace(/^[^_]*_/, "");
}
