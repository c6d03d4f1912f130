import { coreFacet, promptMetadata } from "@toolpacks/core";
import { type Io, printJson, printTable, waitForServers } from "@toolpacks/terminal";
import type { Flags } from "../config/settings.ts";
import { createRuntime } from "../mount/runtime.ts";
import { countTokens } from "./count-tokens.ts";

/** `toolpacks tools`: lists the mounted tools, by facet. */
export async function tools(io: Io, flags: Flags & { json?: boolean }): Promise<void> {
  const { surface, mounting } = await createRuntime(flags, { io, quiet: "error" });
  await waitForServers(io, mounting.upstreams);
  const listed = new Set((await surface.listing()).map(({ name }) => name));
  const core = (await surface.corePack.tools()).map((tool) => ({ tool, facet: coreFacet }));
  const rows = [...core, ...(await surface.catalog.entries())].map(({ tool, facet }) => ({
    facet,
    tool: tool.name,
    mutates: tool.mutates,
    listed: listed.has(tool.name),
    tokens: countTokens(promptMetadata([tool])),
  }));
  await mounting.endRemotes();
  if (flags.json === true) return printJson(io, rows, 2);
  const cells = rows.map((row) => [
    row.facet,
    row.tool,
    row.mutates ? "mutates" : "",
    row.listed ? "listed" : "",
    row.tokens,
  ]);
  printTable(io, { columns: ["facet", "tool", "", "", "tokens"].map((title) => ({ title })), rows: cells });
}
