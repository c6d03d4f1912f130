import { checkNames, type NamedAccess } from "@toolpacks/access";
import { resolveSettings } from "../config/resolve-settings.ts";
import type { Io } from "@toolpacks/terminal";
import { silentLog } from "../log.ts";
import { readKnownNames } from "../mount/known-names.ts";
import { planMount } from "../mount/mount-plan.ts";
import { openPlan } from "../mount/open-plan.ts";
import { openStore } from "../stores/open-store.ts";

/**
 * Warns of facets and tools of tokens that a server with the settings of the current folder does not have. A server with other settings may have them.
 * Settings that cannot be used give no warnings: `toolpacks doctor` names their problems.
 */
export async function tokenWarnings(io: Io, tokens: readonly NamedAccess[]): Promise<readonly string[]> {
  const named = tokens.filter(({ access: { facets = [], tools = [] } }) => facets.length + tools.length > 0);
  if (named.length === 0) return [];
  try {
    const settings = await resolveSettings({ userConfig: false }, io.env, io.cwd);
    const store = await openStore(settings, { registersFolder: false });
    const mounting = await openPlan(planMount(settings), { settings, store, log: silentLog });
    const known = await readKnownNames(mounting);
    const warnings = named.flatMap(({ name, access }) =>
      checkNames(access, known).map((problem) => `warning: ${name}: ${problem}`),
    );
    await Promise.all([mounting.endRemotes(), mounting.endStores()]);
    await store.end();
    const where = settings.file?.path ?? "the settings of this folder";
    return warnings.map((warning) => `${warning}, with ${where}`);
  } catch {
    return [];
  }
}
