import type { Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";

/**
 * The bundled workflows, and those of the config file over them.
 *
 * @throws ConfigurationError naming the place in the file
 */
export async function workflowDefinitions({ workflows, file }: Settings): Promise<Record<string, unknown>> {
  const { checkDefinitions, exampleWorkflows } = await import("@toolpacks/workflows");
  const all = { ...exampleWorkflows, ...workflows };
  await checkDefinitions(all, Object.keys(workflows)).catch((error: unknown) => {
    throw new ConfigurationError(`${file?.path}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return all;
}
