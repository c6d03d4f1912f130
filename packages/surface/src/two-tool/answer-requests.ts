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
  for (const { query, pack, tools } of requests.length === 0 ? [{}] : requests) {
    if (query !== undefined) answers.push(await answerQuery(query, pack));
    else if (pack !== undefined) answers.push(await explainPack(packs, { pack, tools }, texts));
    else answers.push({ tools: await packLines(packs) });
  }
  return answers;
}
