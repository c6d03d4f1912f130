import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import { defaultWorkspace, errorText, type Kind, type OwnedStore } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import { storePathProblem } from "../doctor/check-store-path.ts";
import { ownerProblems } from "../store-owner.ts";
import { isPostgres, isStoreThere, redactAddress } from "../store.ts";
import { findFolderWorkspace, type FolderWorkspace } from "../workspaces/folder-workspace.ts";
import { openRegistry } from "../workspaces/registry.ts";
import { workspaceName } from "../workspaces/server-workspace.ts";
import { folderNotes, storeNotes } from "../workspaces/workspace-notes.ts";

/** Facts about a store that are found without opening it. Opening would create a store. */
interface StoreInspection {
  readonly made: boolean;
  readonly problems: readonly string[];
}

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
  const {
    store: { value: address },
    workspace,
    roots,
  } = settings;
  const [root] = workspace.value === undefined ? roots.value : [];
  const found = root === undefined ? undefined : findFolderWorkspace(openRegistry(), root);
  const where = `${redactAddress(address)}, workspace ${nameWorkspace(found, workspace.value)}`;
  const { made, problems } = isPostgres(address) ? await inspectDatabase(address) : inspectFile(address);
  const notes = [...folderNotes(settings)];
  if (!made) return { store: problems.length > 0 ? where : `${where} (made at its first use)`, problems, notes };
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

function inspectFile(file: string): StoreInspection {
  const problem = storePathProblem(file);
  if (problem !== undefined) return { made: false, problems: [problem] };
  const made = isStoreThere(file);
  // SQLite writes its log to a file in the same folder.
  const needed = [...(existsSync(file) ? [file] : []), nearestFolder(file)];
  const closed = needed.find((one) => !isWritable(one));
  const what = made ? "the store may only be read" : "the store cannot be made";
  const problems = closed === undefined ? [] : [`${what}: ${closed} may not be written to`];
  return { made, problems: [...problems, ...ownerProblems(file)] };
}

function nearestFolder(file: string): string {
  const folder = path.dirname(file);
  return existsSync(folder) || folder === file ? folder : nearestFolder(folder);
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const question = `
  WITH store AS (SELECT to_regclass('toolpacks.toolpacks') AS counter)
  SELECT counter IS NOT NULL AS made, current_setting('transaction_read_only')::boolean AS read_only,
    CASE WHEN counter IS NULL THEN has_database_privilege(current_database(), 'CREATE') ELSE has_table_privilege(counter, 'UPDATE') END AS allowed
  FROM store`;

async function inspectDatabase(address: string): Promise<StoreInspection> {
  const { Client } = await import("pg");
  const client = new Client({ connectionString: address, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    const [found] = (await client.query<{ made: boolean; read_only: boolean; allowed: boolean }>(question)).rows;
    if (found === undefined) return { made: true, problems: [] };
    const { made, read_only: readOnly, allowed } = found;
    const what = made ? "the store may only be read" : "the store cannot be made";
    const why = readOnly ? "the database is read-only" : allowed ? undefined : "the user may not write to it";
    return { made, problems: why === undefined ? [] : [`${what}: ${why}`] };
  } catch {
    // Opening the store reports this error in detail, and creates nothing without a connection.
    return { made: true, problems: [] };
  } finally {
    await client.end().catch(() => {});
  }
}
