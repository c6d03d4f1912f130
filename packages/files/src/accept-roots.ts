import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isInside } from "./root-paths.ts";

// A start of a server loads no `node:fs/promises`.
const [realpath, stat] = [promisify(fs.realpath.native), promisify(fs.stat)];

/** The roots that a client names. They are used where the settings name none. */
export interface ClientRoots {
  /** Real paths of existing directories, in the client's order. The first one decides the workspace. */
  readonly accepted: readonly string[];
  /** One line for each refused root: the URI and the reason. */
  readonly refused: readonly string[];
}

/** Maximum number of roots. Further roots are refused unread. */
const maxRoots = 100;

/**
 * Resolves the roots of a client.
 *
 * @param allowed folders that must contain the roots; undefined: any directory is accepted
 */
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
