import type { Pack, ToolHost } from "@toolpacks/core";

/** Checks that each registration uses the same schema objects: a host with a server per request registers on each. */
export async function registrationProblems(pack: Pack): Promise<readonly string[]> {
  const first = await registeredSchemas(pack);
  const second = await registeredSchemas(pack);
  return [...first].flatMap(([name, schema]) =>
    second.get(name) === schema ? [] : [`${name}: registerWith made its schemas anew: define tools once, in \`tools\``],
  );
}

async function registeredSchemas(pack: Pack): Promise<ReadonlyMap<string, unknown>> {
  const schemas = new Map<string, unknown>();
  const host: ToolHost = { registerTool: (name, { inputSchema }) => schemas.set(name, inputSchema) };
  await pack.registerWith(host);
  return schemas;
}
