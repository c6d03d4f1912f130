import { listedTools, measureBudget, type BudgetReport, type ListedTool } from "@toolpacks/core";
import { createSurface } from "@toolpacks/surface";
import { table, type Io, print, printJson, waitForServers } from "@toolpacks/terminal";
import { countTokens } from "../count-tokens.ts";
import type { Flags } from "../config/settings.ts";
import { createRuntime } from "../mount/runtime.ts";
import { listWithSdk } from "../sdk-listing.ts";

interface ToolRow {
  readonly tool: string;
  readonly tokens: number;
  /** Tokens of the SDK's own conversion of the same zod schema; absent for a tool with a JSON Schema. */
  readonly sdkTokens?: number;
}

interface PackRow extends ToolRow {
  readonly budget: number;
  readonly over: boolean;
  readonly tools: readonly ToolRow[];
}

/** Maximum tokens of the default tool list. The number of mounted tools does not change it. */
const discoveryBudget = 900;

/** `toolpacks budget`: tokens of each tool, pack and surface in a prompt, compared with the SDK's own conversion. */
export async function budget(io: Io, flags: Flags & { check?: boolean; json?: boolean }): Promise<number> {
  const { surface, mounting, finish } = await createRuntime(flags, { io, quiet: "error" });
  await waitForServers(io, mounting.upstreams);
  const packs = await Promise.all(
    [surface.corePack, ...mounting.packs].map(async (pack) =>
      packRow(await measureBudget(pack, countTokens), await listWithSdk(await listedTools(pack))),
    ),
  );
  // The direct surface has no relay: its results are not replaced by handles.
  const directly = mounting.packs.filter((pack) => pack !== mounting.relay?.pack);
  const surfaces = [
    {
      surface: "discovery",
      ...(await surfaceRow(await createSurface({ packs: mounting.packs }))),
      budget: discoveryBudget,
    },
    { surface: "direct", ...(await surfaceRow(await createSurface({ packs: directly, surface: "direct" }))) },
    ...(surface.name === "two-tool"
      ? [{ surface: "two-tool", ...(await surfaceRow(surface)), budget: surface.corePack.budget }]
      : []),
  ];
  const over = [...packs, ...surfaces].some(
    (row) => "budget" in row && row.budget !== undefined && row.tokens > row.budget,
  );
  if (flags.json === true) printJson(io, { packs, surfaces, over }, 2);
  else print(io, ...render(packs, surfaces));
  await finish();
  return over && flags.check === true ? 1 : 0;
}

function packRow(report: BudgetReport, sdk: ReadonlyMap<string, ListedTool>): PackRow {
  const sdkTokens = (names: readonly string[]) => {
    const listed = names.map((name) => sdk.get(name));
    return listed.includes(undefined) ? {} : { sdkTokens: countTokens(JSON.stringify(listed)) };
  };
  return {
    tool: report.pack,
    tokens: report.total,
    budget: report.budget,
    over: report.isOverBudget,
    ...sdkTokens(report.tools.map(({ name }) => name)),
    tools: report.tools.map(({ name, tokens }) => ({ tool: name, tokens, ...sdkTokens([name]) })),
  };
}

async function surfaceRow(surface: Awaited<ReturnType<typeof createSurface>>) {
  const listing = await surface.listing();
  const shown = listing.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { entries: listing.length, tokens: countTokens(JSON.stringify(shown)) };
}

function render(
  packs: readonly PackRow[],
  surfaces: readonly { surface: string; entries: number; tokens: number; budget?: number }[],
): readonly string[] {
  const head = ["o200k tokens of {name, description, inputSchema}", "tokens", "budget", "SDK's own", ""];
  const row = ({ tool, tokens, sdkTokens }: ToolRow, budgetText: string | number, verdict: string) => [
    tool,
    tokens,
    budgetText,
    sdkTokens ?? "",
    verdict,
  ];
  const packRows = packs.flatMap((pack) => [
    row(pack, pack.budget, pack.over ? "OVER" : "ok"),
    ...pack.tools.map((tool) => row({ ...tool, tool: `  ${tool.tool}` }, "", "")),
  ]);
  const surfaceRows = surfaces.map(({ surface, entries, tokens, budget: limit }) => {
    const verdict = limit === undefined ? "" : tokens > limit ? "OVER" : "ok";
    return [`${surface} surface, ${entries} entries`, tokens, limit ?? "", "", verdict];
  });
  return table([head, ...packRows, ...surfaceRows]);
}
