import type { Surface } from "@toolpacks/surface";
import { createModels } from "@toolpacks/models";
import type { Settings } from "../config/settings.ts";
import { modelsOptions } from "../models.ts";
import { workflowLibrary } from "./workflow-library.ts";

/**
 * Finds workflow steps that cannot run with the mounted packs. A bundled workflow may need a pack that is not mounted: this is not a problem. A step
 * with an unknown tool is a problem in every workflow.
 */
export async function checkWorkflows(settings: Settings, { catalog }: Surface): Promise<readonly string[]> {
  const { stepProblems } = await import("@toolpacks/workflows");
  const library = await workflowLibrary(settings);
  const check = { library, catalog, models: createModels(modelsOptions(settings)) };
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
