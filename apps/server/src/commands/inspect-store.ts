import { defaultWorkspace, errorText, type Kind, type OwnedStore } from "@toolpacks/core";
import { findFolderWorkspace, nameInId } from "@toolpacks/workspaces";
import type { Settings } from "../config/settings.ts";
import { folderRegistry } from "../stores/folder-registry.ts";
import { storeDriver } from "../stores/open-store.ts";

/** Inspects the store for doctor, and ends it. An existing store is opened and checked; a missing one is not created. */
export async function inspectStore(settings: Settings, store: OwnedStore, kinds: readonly Kind[]) {
  const { value: address } = settings.store;
  const driver = storeDriver(settings.store);
  const where = `${driver.describe(address)}, workspace ${nameWorkspace(settings)}`;
  const { exists, writeProblem, otherProblems = [] } = await driver.inspect(address);
  const effect = exists ? "the store may only be read" : "the store cannot be made";
  const problems = [...(writeProblem === undefined ? [] : [`${effect}: ${writeProblem}`]), ...otherProblems];
  if (!exists) return { store: problems.length > 0 ? where : `${where} (created at its first use)`, problems };
  try {
    const damage = (await store.check(kinds)).map((problem) => `the store is damaged: ${problem}`);
    return { store: `${where}, generation ${await store.generation()}`, problems: [...problems, ...damage] };
  } catch (error) {
    return { store: where, problems: [...problems, errorText(error)] };
  } finally {
    await store.end();
  }
}

function nameWorkspace(settings: Settings): string {
  const { workspace, roots } = settings;
  const [root] = workspace.value === undefined ? roots.value : [];
  const found = root === undefined ? undefined : findFolderWorkspace(folderRegistry(settings), root);
  const id = found?.id ?? workspace.value ?? defaultWorkspace;
  const name = nameInId(id);
  if (found?.isNew === true) return `${name} (new)`;
  return name === id ? id : `${name} (${id})`;
}
