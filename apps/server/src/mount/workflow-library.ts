import { ConfigurationError, errorText } from "@toolpacks/core";
import { createLibrary, exampleWorkflows, type Library } from "@toolpacks/workflows";
import type { Settings } from "../config/settings.ts";

/**
 * Compiles the bundled workflows and the workflows of the config file, which override bundled ones of the same name.
 *
 * @throws ConfigurationError with the place in the config file
 */
export async function workflowLibrary({ workflows, file }: Settings): Promise<Library> {
  const library = createLibrary({ ...exampleWorkflows, ...workflows });
  await library.check(Object.keys(workflows)).catch((error: unknown) => {
    throw new ConfigurationError(`${file?.path}: ${errorText(error)}`);
  });
  return library;
}
