import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The roots that a client names, where the settings name none. */
export interface ClientRoots {
  /** Real paths of existing directories, in the client's order. The workspace is that of the first. */
  readonly accepted: readonly string[];
  /** Why each of the others is refused. */
  readonly refused: readonly string[];
}

/** More roots than this are not looked at. */
const maxRoots = 100;

/** @param allowed folders within which the roots must lie; undefined where any directory may be one */
export async function acceptRoots(
  uris: readonly string[],
  allowed: readonly string[] | undefined,
): Promise<ClientRoots> {
  const parents = allowed && (await Promise.all(allowed.map((parent) => realpath(parent).catch(() => parent))));
  const accepted = new Set<string>();
  const refused: string[] = [];
  for (const uri of uris.slice(0, maxRoots)) {
    const found = await directoryOf(uri);
    if ("problem" in found) refused.push(`${JSON.stringify(uri.slice(0, 300))} ${found.problem}`);
    else if (parents === undefined || parents.some((parent) => isInside(parent, found.directory))) {
      accepted.add(found.directory);
    } else {
      refused.push(`${JSON.stringify(uri.slice(0, 300))} is outside the folders of clientRoots: ${parents.join(", ")}`);
    }
  }
  if (uris.length > maxRoots) refused.push(`${uris.length - maxRoots} more, beyond the maximum of ${maxRoots}`);
  return { accepted: [...accepted], refused };
}

async function directoryOf(uri: string): Promise<{ readonly directory: string } | { readonly problem: string }> {
  if (!/^file:\/\//i.test(uri)) return { problem: "is not a file:// URI" };
  try {
    const directory = await realpath(fileURLToPath(uri));
    return (await stat(directory)).isDirectory() ? { directory } : { problem: "is not a directory" };
  } catch {
    return { problem: "is not an existing directory" };
  }
}

function isInside(parent: string, directory: string): boolean {
  const way = path.relative(parent, directory);
  return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}
