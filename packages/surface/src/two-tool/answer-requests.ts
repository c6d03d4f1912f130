import type { Answer } from "./answer.ts";
import { explainPack, packLines } from "./explain-pack.ts";
import { createQueries } from "./query-tools.ts";
import { toolTexts } from "./tool-texts.ts";
import type { TwoTools } from "./two-tools.ts";

/** A request of `getTools`: a query, a pack, or tools of a pack. */
export interface Asked {
  readonly query?: string | undefined;
  readonly pack?: string | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** Answers requests in their order. Without one, the answer is the packs. */
export async function answerRequests(twoTools: TwoTools, requests: readonly Asked[]): Promise<Answer[]> {
  const { packs } = twoTools;
  const texts = toolTexts(packs);
  const answerQuery = createQueries(twoTools, texts, requests.filter(({ query }) => query !== undefined).length);
  const answers: Answer[] = [];
  for (const { query, pack, tools } of requests.length === 0 ? [{}] : requests.flatMap(byPack)) {
    if (query !== undefined) answers.push(await answerQuery(query, pack));
    else if (pack !== undefined) answers.push(await explainPack(packs, { pack, tools }, texts));
    else answers.push({ tools: await packLines(packs) });
  }
  return answers;
}

/** Reads the packs from names such as `planner: reminder`, as `useTools` shows tools, where no pack is given. */
function byPack(asked: Asked): readonly Asked[] {
  const { pack, tools = [] } = asked;
  const packOf = (name: string) => /^(\w[\w-]*): /.exec(name)?.[1];
  if (pack !== undefined || !tools.some(packOf)) return [asked];
  return [...Map.groupBy(tools, packOf)].map(([own, names]) => ({
    ...asked,
    pack: own,
    tools: names.map((name) => name.replace(`${own}: `, "")),
  }));
}
