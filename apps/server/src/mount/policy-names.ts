import { ConfigurationError, coreFacet, createCatalog, errorText } from "@toolpacks/core";
import { isBundled } from "../config/bundled-names.ts";
import type { Setting, Settings } from "../config/settings.ts";
import type { Mounting, PolicyNames } from "./mounting.ts";

type NamedMounting = Pick<Mounting, "plan" | "settings" | "packs" | "leftOut" | "withheld" | "isFirst">;

/** Validates the names in `expose` and `deny`. @throws ConfigurationError with a problem for each unknown name */
export async function readPolicyNames(mounting: NamedMounting): Promise<PolicyNames> {
  const { plan, packs, leftOut } = mounting;
  const facets = [coreFacet, ...packs.map(({ name }) => name)];
  const wrong = await wrongDenied(mounting);
  const problems = [...exposeProblems(mounting, facets), ...wrong.values()].filter((one) => one !== undefined);
  if (problems.length > 0) throw new ConfigurationError(...problems);
  return {
    // One server that is left out must not stop the start.
    expose: plan.expose?.filter((name) => facets.includes(name)),
    deny: plan.deny.filter((name) => !wrong.has(name) && leftOut.every((one) => one.name !== name)),
  };
}

/** The denied names that are no facets and no tools, with the problem of each. No problem: a pack that is not mounted may have it. */
async function wrongDenied({ plan, settings, packs, leftOut, withheld }: NamedMounting) {
  const { deny, file } = settings;
  const known = new Set([...packs, ...leftOut].map(({ name }) => name));
  // Tools of other servers are unknown at the start. A name with a server's prefix may be one of its tools.
  const mayBeRemote = (name: string) => packs.some(({ remote }) => remote && name.startsWith(remote.prefix));
  const catalog = createCatalog({ packs: packs.filter(({ remote }) => remote === undefined), withheld });
  const wrong = new Map<string, string | undefined>();
  for (const name of plan.deny.filter((one) => !known.has(one) && !mayBeRemote(one))) {
    const view = catalog.view({ deny: [name] });
    await view
      .then((one) => one.entries())
      .catch((error: unknown) => {
        const problem = `${deny.origin}: ${errorText(error).replace(/^deny: /, "")}`;
        wrong.set(name, mayNameIgnored(deny, file) ? undefined : problem);
      });
  }
  return wrong;
}

function exposeProblems(
  { plan, settings, leftOut, isFirst }: NamedMounting,
  facets: readonly string[],
): readonly string[] {
  const { expose, file } = settings;
  // The names were checked with the first mounting. The packs of another one may be fewer.
  if (!isFirst || mayNameIgnored(expose, file)) return [];
  return (expose.value ?? []).flatMap((name) => {
    if (facets.includes(name)) return [];
    const found = leftOut.find((one) => one.name === name);
    if (found === undefined) return [`${expose.origin}: no facet is named ${name}; there are ${facets.join(", ")}`];
    if (plan.facet !== undefined || !isBundled(name)) return [];
    return [`${expose.origin}: ${name} is not mounted: ${found.reason}. ${found.hint}`];
  });
}

/** Whether a list may name packs of an untrusted config file, which are not mounted. */
function mayNameIgnored({ source }: Setting<unknown>, file: Settings["file"]): boolean {
  return source === "file" && file !== undefined && file.ignored.length > 0;
}
