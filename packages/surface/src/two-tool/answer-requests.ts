import type { Answer } from "./answer.ts";
import { explainPack, packLines, type AskedPack } from "./explain-pack.ts";
import { queryTools, type ToolQuery } from "./query-tools.ts";
import { toolTexts } from "./tool-texts.ts";
import type { TwoTools } from "./two-tools.ts";

/** A request of `getTools`: a query, a pack, or tools of a pack. */
export interface Asked {
  readonly query?: string | undefined;
  readonly pack?: string | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** Answers requests. Without one, the answer is the packs. */
export async function answerRequests(twoTools: TwoTools, requests: readonly Asked[]): Promise<Answer[]> {
  const { packs } = twoTools;
  if (requests.length === 0) return [{ tools: await packLines(packs) }];
  const texts = toolTexts(packs);
  const queries = requests.filter((one): one is Asked & ToolQuery => one.query !== undefined);
  const found = queries.length === 0 ? [] : await queryTools(twoTools, queries, texts);
  const answers = await Promise.all(
    requests.map(async (one) => {
      const at = queries.findIndex((query) => query === one);
      if (at >= 0) return found[at];
      return isOfPack(one) ? explainPack(packs, one, texts) : { tools: await packLines(packs) };
    }),
  );
  return answers.flatMap((one) => one ?? []);
}

function isOfPack(one: Asked): one is Asked & AskedPack {
  return one.pack !== undefined;
}
