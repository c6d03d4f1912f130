import type { Remote, Tool } from "@toolpacks/core";

/** Another server that only has tools. */
export function remoteOf(prefix: string, tools: readonly Tool[]): Remote {
  return {
    prefix,
    knownTools: () => tools,
    missing: () => undefined,
    watch: () => () => {},
    resources: async () => [],
    resourceTemplates: async () => [],
    owns: () => false,
    read: async () => [],
    prompts: async () => [],
    prompt: async () => ({ messages: [] }),
    end: async () => {},
  };
}
