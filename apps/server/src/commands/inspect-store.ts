import { defaultWorkspace, errorText, type Kind, type OwnedStore } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import { storeDriver } from "../stores/open-store.ts";
import { findFolderWorkspace, type FolderWorkspace } from "../workspaces/folder-workspace.ts";
import { openRegistry } from "../workspaces/registry.ts";
import { workspaceName } from "../workspaces/server-workspace.ts";
import { folderNotes, storeNotes } from "../workspaces/workspace-notes.ts";

interface StoreReport {
  readonly store: string;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/** Inspects the store for doctor. An existing store is opened and checked; a missing one is not created. */
export async function inspectStore(
  settings: Settings,
  store: OwnedStore,
  kinds: readonly Kind[],
): Promise<StoreReport> {
  const { workspace, roots } = settings;
  const { value: address } = settings.store;
  const driver = storeDriver(settings.store);
  const [root] = workspace.value === undefined ? roots.value : [];
  const found = root === undefined ? undefined : findFolderWorkspace(openRegistry(), root);
  const where = `${driver.describe(address)}, workspace ${nameWorkspace(found, workspace.value)}`;
  const { exists, writeProblem, otherProblems = [] } = await driver.inspect(address);
  const effect = exists ? "the store may only be read" : "the store cannot be made";
  const problems = [...(writeProblem === undefined ? [] : [`${effect}: ${writeProblem}`]), ...otherProblems];
  const notes = [...folderNotes(settings)];
  if (!exists) return { store: problems.length > 0 ? where : `${where} (created at its first use)`, problems, notes };
  try {
    const damage = (await store.check(kinds)).map((problem) => `the store is damaged: ${problem}`);
    if (found !== undefined) notes.push(...(await storeNotes(store, found)));
    return { store: `${where}, generation ${await store.generation()}`, problems: [...problems, ...damage], notes };
  } catch (error) {
    return { store: where, problems: [...problems, errorText(error)], notes };
  } finally {
    await store.end();
  }
}

function nameWorkspace(found: FolderWorkspace | undefined, named = defaultWorkspace): string {
  const id = found?.id ?? named;
  const name = workspaceName(id);
  if (found?.isNew === true) return `${name} (new)`;
  return name === id ? id : `${name} (${id})`;
}
