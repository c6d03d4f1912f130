import type { JsonSchema } from "@toolpacks/core";
import type { Surface } from "@toolpacks/surface";

/** The full input schema of a tool. Undefined for a name that cannot be called: the call says why. */
export async function inputSchemaOf({ catalog, corePack }: Surface, name: string): Promise<JsonSchema | undefined> {
  const found = await catalog.resolve(name);
  const tool = "tool" in found ? found.tool : (await corePack.tools()).find((one) => one.name === name);
  return tool?.input.full();
}
