import { defineForeignTool, definePack } from "@toolpacks/core";
import { createSurface, type Surface } from "@toolpacks/surface";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { shortSignature } from "./short-signature.ts";
import type { ToolSet } from "./tool-sets.ts";

const count = (text: string) => encode(text).length;

/** Tokens that a model reads and writes until it has called one tool. */
interface Cost {
  readonly list: number;
  readonly search: number;
  readonly describe: number;
  readonly invoke: number;
}

/** How a search answers a hit, and whether a tool must be described before it can be called. */
interface Way {
  readonly name: string;
  readonly hit: (tool: ToolSet["tools"][number], line: string) => string;
  readonly describes: (line: string) => boolean;
}

const ways: readonly Way[] = [
  {
    name: "full schemas",
    hit: ({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }),
    describes: () => false,
  },
  {
    name: "one-liners",
    hit: ({ name, description }) => `${name}: ${description.split(/\.\s|\n/, 1)[0]}`,
    describes: () => true,
  },
  {
    name: "signatures of at most 40 tokens",
    hit: ({ name, description, inputSchema = { type: "object" } }) =>
      shortSignature(
        defineForeignTool({ name, description, mutates: true, inputSchema, handler: () => ({}) }),
        maxShortTokens,
      ),
    describes: isCut,
  },
  { name: "as tool_search answers", hit: (_, line) => line, describes: isCut },
];

/** Estimated tokens. The estimate may be a fifth too low. */
const maxShortTokens = 32;

/** Whether a line leaves out a field, which the call may need. */
function isCut(line: string): boolean {
  return /[(,] ?…\)/.test(line);
}

/** Tokens of one discovery (list, search, describe, invoke) for each form of search results, compared with listing every tool. */
export async function measureDiscovery({ tools, questions }: ToolSet): Promise<void> {
  const surface = await createSurface({ packs: [asPack(tools)] });
  const listing = await surface.listing();
  const list = count(
    JSON.stringify(listing.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  );
  const rows = [];
  for (const way of ways) {
    const costs: Cost[] = [];
    for (const { query } of questions) costs.push({ list, ...(await discover(surface, tools, { way, query })) });
    const mean = (of: (cost: Cost) => number) =>
      Math.round(costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length);
    rows.push({
      hits: way.name,
      list,
      search: mean(({ search }) => search),
      describe: mean(({ describe }) => describe),
      "described %": Math.round((100 * costs.filter(({ describe }) => describe > 0).length) / costs.length),
      invoke: mean(({ invoke }) => invoke),
      total: mean((cost) => cost.list + cost.search + cost.describe + cost.invoke),
    });
  }
  const everything = count(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  );
  console.log(
    `o200k tokens of one discovery, mean of ${questions.length}; listing all ${tools.length} tools takes ${everything}`,
  );
  console.table(rows);
  console.table(await measurePlans(surface, questions));
}

/** Calls and tokens of the searches for plans of some steps, and the share of steps whose tool is found, searched for one by one and together. */
async function measurePlans(surface: Surface, questions: ToolSet["questions"]) {
  const rows = [];
  for (const steps of [1, 5, 10]) {
    let [calls, tokens, found] = [0, 0, 0];
    for (let at = 0; at < questions.length; at += steps) {
      const plan = questions.slice(at, at + steps);
      const query = plan.map((question) => question.query);
      const outcome = await surface.call({ name: "tool_search", args: { query } });
      if (!outcome.ok) throw new Error(outcome.failure.message);
      calls += 1;
      tokens += count(JSON.stringify({ query })) + count(outcome.text);
      found += plan.filter(({ gold }) => gold.flat().some((name) => isNamed(outcome.text, name))).length;
    }
    const perStep = (sum: number) => Number((sum / questions.length).toFixed(2));
    rows.push({
      "queries in a call": steps,
      "calls per step": perStep(calls),
      "tokens per step": Math.round(tokens / questions.length),
      "found %": Math.round(100 * perStep(found)),
    });
  }
  return rows;
}

function isNamed(answer: string, name: string): boolean {
  return answer
    .split("\n")
    .some((line) => line.startsWith(`${name}(`) || (line.startsWith("see above: ") && line.includes(name)));
}

async function discover(
  surface: Surface,
  tools: ToolSet["tools"],
  { way, query }: { readonly way: Way; readonly query: string },
): Promise<Omit<Cost, "list">> {
  const outcome = await surface.call({ name: "tool_search", args: { query } });
  if (!outcome.ok) throw new Error(outcome.failure.message);
  const lines = outcome.text.split("\n");
  const hits = lines.flatMap((line) => {
    const tool = tools.find(({ name }) => line.startsWith(`${name}(`));
    return tool === undefined ? [] : [{ tool, line }];
  });
  const [first] = hits;
  if (first === undefined) throw new Error(`nothing was found for ${query}`);
  const { name, inputSchema } = first.tool;
  const required = (inputSchema?.["required"] ?? []) as readonly string[];
  const args = Object.fromEntries(required.map((field) => [field, "value"]));
  const described = await surface.call({ name: "tool_describe", args: { name } });
  const describe = described.ok ? count(JSON.stringify({ name })) + count(described.text) : 0;
  return {
    search: count(JSON.stringify({ query })) + count(hits.map(({ tool, line }) => way.hit(tool, line)).join("\n")),
    describe: way.describes(way.hit(first.tool, first.line)) ? describe : 0,
    invoke: count(JSON.stringify({ name, args })),
  };
}

function asPack(tools: ToolSet["tools"]) {
  return definePack({
    name: "github",
    description: "GitHub's MCP server.",
    budget: 100_000,
    tools: () =>
      tools.map(({ name, description, inputSchema = { type: "object" } }) =>
        defineForeignTool({ name, description, mutates: true, inputSchema, handler: (args) => ({ args }) }),
      ),
  })();
}
