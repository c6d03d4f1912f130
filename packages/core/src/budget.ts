import { listedTools, type Pack } from "./pack.ts";
import type { Tool } from "./tool.ts";

/** Counts o200k tokens. Passed in, because a tokenizer is megabytes and no server start may load one. */
export type CountTokens = (text: string) => number;

/** The prompt tokens of a pack's listed metadata. */
export interface BudgetReport {
  readonly pack: string;
  readonly budget: number;
  readonly total: number;
  readonly isOverBudget: boolean;
  readonly instructions: number;
  readonly tools: readonly { readonly name: string; readonly mutates: boolean; readonly tokens: number }[];
}

/** The part of each tool that a model sees in a list: `{ name, description, inputSchema }`, as compact JSON. */
export function promptMetadata(tools: readonly Pick<Tool, "name" | "description" | "input">[]): string {
  return JSON.stringify(
    tools.map(({ name, description, input }) => ({ name, description, inputSchema: input.json() })),
  );
}

/** Measures the tokens of a pack that is listed directly, and compares them with its budget. */
export async function measureBudget(pack: Pack, countTokens: CountTokens): Promise<BudgetReport> {
  const tools = await listedTools(pack);
  const instructions = pack.instructions === undefined ? 0 : countTokens(pack.instructions);
  const total = countTokens(promptMetadata(tools)) + instructions;
  return {
    pack: pack.name,
    budget: pack.budget,
    total,
    isOverBudget: total > pack.budget,
    instructions,
    tools: tools.map((tool) => ({
      name: tool.name,
      mutates: tool.mutates,
      tokens: countTokens(promptMetadata([tool])),
    })),
  };
}
