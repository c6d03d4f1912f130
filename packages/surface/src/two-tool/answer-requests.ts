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
  for (const asked of requests.length === 0 ? [{}] : requests) {
    const { query, pack, tools } = withPack(asked);
    if (query !== undefined) answers.push(await answerQuery(query, pack));
    else if (pack !== undefined) answers.push(await explainPack(packs, { pack, tools }, texts));
    else answers.push({ tools: await packLines(packs) });
  }
  return answers;
}

/** Reads the pack from names such as `planner: reminder`, as `useTools` shows tools, where no pack is given. */
function withPack(asked: Asked): Asked {
  const [, pack] = (asked.pack === undefined && /^(\w[\w-]*): /.exec(asked.tools?.[0] ?? "")) || [];
  if (pack === undefined) return asked;
  return { ...asked, pack, tools: asked.tools?.map((name) => name.replace(`${pack}: `, "")) };
}
