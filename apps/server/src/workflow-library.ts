import type { Library } from "@toolpacks/workflows";
import type { Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";

/**
 * The bundled workflows, and those of the config file over them, which were parsed with it and are compiled here.
 *
 * @throws ConfigurationError naming the place in the file
 */
export async function workflowLibrary({ workflows, file }: Settings): Promise<Library> {
  const { createLibrary, exampleWorkflows } = await import("@toolpacks/workflows");
  const library = createLibrary({ ...exampleWorkflows, ...workflows });
  await library.check(Object.keys(workflows)).catch((error: unknown) => {
    throw new ConfigurationError(`${file?.path}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return library;
}
