import type { Surface } from "@toolpacks/surface";
import type { StepCheck } from "@toolpacks/workflows";
import type { Settings } from "../config/settings.ts";
import { workflowLibrary } from "../workflow-library.ts";

/**
 * Steps that cannot run as things are mounted. A bundled workflow may need a pack that is not mounted, which is no mistake of the user's; of those
 * only what names a tool that nobody has is told.
 */
export async function checkWorkflows(settings: Settings, { catalog }: Surface): Promise<readonly string[]> {
  if (catalog.packs.every(({ name }) => name !== "workflows")) return [];
  const { stepProblems } = await import("@toolpacks/workflows");
  const library = await workflowLibrary(settings);
  const check = { library, catalog, models: configuredModels(settings), environment: process.env };
  const found = await Promise.all(
    Object.keys(library.sources).map(async (name) => {
      const isConfigured = Object.hasOwn(settings.workflows, name);
      const problems = await stepProblems(name, check);
      return problems
        .filter((problem) => isConfigured || !/: (denied|unavailable): |no model /.test(problem))
        .map((problem) => `workflows.${name}: ${problem}`);
    }),
  );
  return found.flat();
}

type Models = StepCheck["models"];

/** The pack's own schema has checked them by now. */
function configuredModels({ packs }: Settings): NonNullable<Models> {
  const options = packs["workflows"];
  return typeof options === "object" ? ((options["models"] ?? {}) as NonNullable<Models>) : {};
}
