import { callerStore, damagedHint } from "@toolpacks/store";
import {
  defineTool,
  detail,
  estimateTokens,
  quoteName,
  type Store,
  type Tool,
  type ToolContext,
} from "@toolpacks/core";
import { z } from "zod";
import { cutText, visibleLines } from "../cut-text.ts";
import type { MemoryContext } from "../memory-context.ts";
import { state } from "../states/state.ts";
import { stateFields, stateText } from "../states/state-fields.ts";
import { trace } from "../traces/trace.ts";
import { foundTrace, sessionOf, traceLines } from "../traces/trace-line.ts";
import { workspace } from "./workspace.ts";
import { workspaceName } from "./workspace-fields.ts";
import { findWorkspace, workspaceLabel } from "./open-workspace.ts";

const defaultTokens = 1_000;
const maxTraces = 20;
/** The share of the token budget to use. The rest allows for errors of the estimate. */
const safetyFactor = 0.85;

const input = z.object({
  name: workspaceName.optional().meta(detail("default: the one in use")),
  tokens: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .meta(detail(`most that the answer takes, default ${defaultTokens}`)),
});

const output = z.object({
  name: z.string(),
  purpose: z.string().optional(),
  files: z.array(z.string()).optional(),
  state: stateFields.optional().describe("the latest"),
  traces: z.array(z.string()).optional().describe("the last calls, newest first"),
  cut: z.array(z.string()).optional().describe("what the budget left out"),
});

type Loaded = z.output<typeof output>;

export function workspaceLoad({ store, traces }: MemoryContext): Tool {
  return defineTool({
    name: "workspace_load",
    description: "Load a workspace: purpose, files, latest state, last calls.",
    keywords: ["resume", "open project", "where were we", "context", "continue", "start"],
    examples: [{ say: "where were we?", args: { tokens: 800 } }],
    mutates: false,
    fromIntent: { name: "workspaceId" },
    input,
    output,
    text: render,
    handler: async ({ name = store.workspace, tokens = defaultTokens }, context) => {
      const inside = await findWorkspace(store, name);
      await traces?.flush();
      return fitBudget(await load(callerStore(inside, context.principal), context), Math.floor(tokens * safetyFactor));
    },
  });
}

async function load(store: Store, context: ToolContext): Promise<Loaded> {
  const record = (await store.get(workspace, store.workspace))?.data;
  const states = await store.query(state, { sort: ["-saved"], limit: 1, skipDamaged: true });
  const [latest] = states.items;
  const last = await store.query(trace, { sort: ["-at"], limit: maxTraces, skipDamaged: true });
  const damaged = (states.damaged ?? 0) + (last.damaged ?? 0);
  const lines = traceLines(last.items.map(foundTrace(context)), sessionOf(context));
  if (damaged > 0) lines.unshift(damagedHint(damaged));
  return {
    name: await workspaceLabel(store),
    purpose: record?.purpose,
    files: record?.files,
    state: latest?.data,
    traces: lines.length > 0 ? lines : undefined,
  };
}

const parts = ["purpose", "state", "files", "traces"] as const;

/** Adds the parts by importance, each in the longest form that fits the budget. `cut` names the shortened parts. */
function fitBudget(whole: Loaded, budget: number): Loaded {
  const taken: Loaded = { name: whole.name };
  const cut: string[] = [];
  for (const part of parts.filter((one) => whole[one] !== undefined)) {
    const share = shares.find((one) => size({ ...taken, ...shortened(whole, part, one), cut: [...parts] }) <= budget);
    if (share !== undefined) Object.assign(taken, shortened(whole, part, share));
    if (share !== 1) cut.push(part);
  }
  return { ...taken, ...(cut.length > 0 && { cut }) };
}

/** The token count of the larger form of the result: text or JSON. */
function size(loaded: Loaded): number {
  return Math.max(estimateTokens(render(loaded)), estimateTokens(JSON.stringify(loaded)));
}

/** Shares of a part, from the whole to the shortest form. */
const shares = [1, 0.5, 0.25, 0.1, 0.05, 0.01];

/** A share of a part: of a text, a list, or a state's memory. */
function shortened(whole: Loaded, part: (typeof parts)[number], share: number): Partial<Loaded> {
  const value = whole[part];
  if (share === 1 || value === undefined) return { [part]: value };
  if (typeof value === "string") return { [part]: cutText(value, Math.ceil(value.length * share)) };
  if (Array.isArray(value)) return { [part]: value.slice(0, Math.ceil(value.length * share)) };
  const { name, goal, memory } = value;
  return { state: { name, goal: cutText(goal, 200), memory: cutText(memory, Math.ceil(memory.length * share)) } };
}

function render({ name, purpose, files = [], state: latest, traces = [], cut = [] }: Loaded): string {
  return [
    `workspace ${quoteName(name)}${purpose === undefined ? "" : `: ${visibleLines(purpose)}`}`,
    ...(files.length === 0 ? [] : [`files: ${files.map(quoteName).join(", ")}`]),
    ...(latest === undefined ? [] : [stateText(latest)]),
    ...(traces.length === 0 ? [] : ["last calls:", ...traces.map(visibleLines)]),
    ...(cut.length === 0 ? [] : [`cut to the budget: ${cut.join(", ")}`]),
  ].join("\n");
}
