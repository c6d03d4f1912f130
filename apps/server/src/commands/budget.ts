import { measureBudget } from "@toolpacks/core";
import { createSurface, type Surface } from "@toolpacks/surface";
import { type Cell, type Io, printJson, printTable, waitForServers } from "@toolpacks/terminal";
import type { Flags } from "../config/settings.ts";
import { createRuntime } from "../mount/runtime.ts";
import { countTokens } from "./count-tokens.ts";

interface ToolRow {
  readonly tool: string;
  readonly tokens: number;
}

interface PackRow extends ToolRow {
  readonly budget: number;
  readonly over: boolean;
  readonly tools: readonly ToolRow[];
}

interface SurfaceRow {
  readonly surface: string;
  readonly entries: number;
  readonly tokens: number;
  readonly budget?: number;
}

/** Maximum tokens of the default tool list. The number of mounted tools does not change it. */
const discoveryBudget = 900;

/** `toolpacks budget`: tokens of each tool, pack and surface in a prompt. */
export async function budget(io: Io, flags: Flags & { check?: boolean; json?: boolean }): Promise<number> {
  const { surface, mounting, finish } = await createRuntime(flags, { io, quiet: "error" });
  await waitForServers(io, mounting.upstreams);
  const reports = await Promise.all(
    [surface.corePack, ...mounting.packs].map((pack) => measureBudget(pack, countTokens)),
  );
  const packs = reports.map(({ pack, total, isOverBudget, budget: limit, tools }): PackRow => {
    const rows = tools.map(({ name, tokens }) => ({ tool: name, tokens }));
    return { tool: pack, tokens: total, budget: limit, over: isOverBudget, tools: rows };
  });
  // The direct surface has no relay: its results are not replaced by handles.
  const directly = mounting.packs.filter((pack) => pack !== mounting.relay?.pack);
  const surfaces = [
    await surfaceRow("discovery", await createSurface({ packs: mounting.packs }), discoveryBudget),
    await surfaceRow("direct", await createSurface({ packs: directly, surface: "direct" })),
    ...(surface.name === "two-tool" ? [await surfaceRow("two-tool", surface, surface.corePack.budget)] : []),
  ];
  const over = [...packs, ...surfaces].some(({ tokens, budget: limit }) => isOver(tokens, limit));
  if (flags.json === true) printJson(io, { packs, surfaces, over }, 2);
  else printRows(io, packs, surfaces);
  await finish();
  return over && flags.check === true ? 1 : 0;
}

async function surfaceRow(name: string, surface: Surface, limit?: number): Promise<SurfaceRow> {
  const listing = await surface.listing();
  const shown = listing.map(({ name: tool, description, inputSchema }) => ({ name: tool, description, inputSchema }));
  return { surface: name, entries: listing.length, tokens: countTokens(JSON.stringify(shown)), budget: limit };
}

function isOver(tokens: number, limit: number | undefined): boolean {
  return limit !== undefined && tokens > limit;
}

function printRows(io: Io, packs: readonly PackRow[], surfaces: readonly SurfaceRow[]): void {
  const row = (what: string, tokens: number, limit: number | undefined): readonly Cell[] => {
    const verdict = limit === undefined ? "" : isOver(tokens, limit) ? "OVER" : "ok";
    return [what, tokens, limit, verdict];
  };
  const rows = [
    ...packs.flatMap(({ tool, tokens, budget: limit, tools }) => [
      row(tool, tokens, limit),
      ...tools.map((one) => row(`  ${one.tool}`, one.tokens, undefined)),
    ]),
    ...surfaces.map((one) => row(`${one.surface} surface, ${one.entries} entries`, one.tokens, one.budget)),
  ];
  const titles = ["o200k tokens of {name, description, inputSchema}", "tokens", "budget", ""];
  printTable(io, { columns: titles.map((title) => ({ title })), rows });
}
