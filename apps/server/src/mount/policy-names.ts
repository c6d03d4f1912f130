import { ConfigurationError, coreFacet, createCatalog, errorText } from "@toolpacks/core";
import { isBundled } from "../config/bundled-names.ts";
import type { Setting, Settings } from "../config/settings.ts";
import type { Mounting, PolicyNames } from "./mounting.ts";

type NamedMounting = Pick<Mounting, "plan" | "settings" | "packs" | "leftOut" | "withheld" | "isFirst">;

/** Validates the names in `expose` and `deny`. @throws ConfigurationError with a problem for each unknown name */
export async function readPolicyNames(mounting: NamedMounting): Promise<PolicyNames> {
  const problems: string[] = [];
  const expose = checkExposed(mounting, problems);
  const deny = await checkDenied(mounting, problems);
  if (problems.length > 0) throw new ConfigurationError(...problems);
  return { expose, deny };
}

/** Validates the denied names, and drops facets that are not mounted. */
async function checkDenied(
  { plan, settings, packs, leftOut, withheld }: NamedMounting,
  problems: string[],
): Promise<readonly string[]> {
  const { deny, file } = settings;
  const denied = plan.deny.filter((name) => leftOut.every((one) => one.name !== name));
  const facets = new Set(packs.map(({ name }) => name));
  // Tools of other servers are unknown at the start. A name with a server's prefix may be one of its tools.
  const mayBeRemote = (name: string) => packs.some(({ remote }) => remote && name.startsWith(remote.prefix));
  const unsure = denied.filter((name) => !facets.has(name) && !mayBeRemote(name));
  if (unsure.length === 0) return denied;
  // A denied name that is not a facet must be a tool of a pack.
  const own = packs.filter(({ remote }) => remote === undefined);
  const problemOf = (names: readonly string[]) =>
    createCatalog({ packs: own, withheld })
      .view({ deny: names })
      .then((view) => view.entries())
      .then(
        () => undefined,
        (error: unknown) => errorText(error).replace(/^deny: /, ""),
      );
  const found = await Promise.all(unsure.map(async (name) => ({ name, problem: await problemOf([name]) })));
  const unknown = found.filter(({ problem }) => problem !== undefined);
  if (!mayNameIgnored(deny, file)) problems.push(...unknown.map(({ problem }) => `${deny.origin}: ${problem}`));
  const names = new Set(unknown.map(({ name }) => name));
  return denied.filter((name) => !names.has(name));
}

/** Validates the exposed names, and drops servers that are left out: one of them must not stop the start. */
function checkExposed(
  { plan, settings, packs, leftOut, isFirst }: NamedMounting,
  problems: string[],
): readonly string[] | undefined {
  const { expose, file } = settings;
  const facets = [coreFacet, ...packs.map(({ name }) => name)];
  // The names were checked with the first mounting. The packs of another one may be fewer.
  for (const name of (isFirst ? expose.value : undefined) ?? []) {
    if (facets.includes(name) || mayNameIgnored(expose, file)) continue;
    const leftOutPack = leftOut.find((one) => one.name === name);
    if (leftOutPack === undefined) {
      problems.push(`${expose.origin}: no facet is named ${name}; there are ${facets.join(", ")}`);
    } else if (plan.facet === undefined && isBundled(name)) {
      const { reason, hint } = leftOutPack;
      problems.push(`${expose.origin}: ${name} is not mounted: ${reason}. ${hint}`);
    }
  }
  return plan.expose?.filter((name) => facets.includes(name));
}

/** Whether a list may name packs of an untrusted config file, which are not mounted. */
function mayNameIgnored({ source }: Setting<unknown>, file: Settings["file"]): boolean {
  return source === "file" && file !== undefined && file.ignored.length > 0;
}
