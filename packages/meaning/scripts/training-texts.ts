import { apiTexts } from "./api-texts.ts";
import { dialogueTexts, requestTexts, toolTexts } from "./generated-texts.ts";
import { openapiTexts } from "./openapi-texts.ts";
import { wordnetTexts } from "./wordnet-texts.ts";

/** Texts of one sort. What their vectors have in common tells the sort, not the meaning. */
export interface TextList {
  readonly name: string;
  readonly texts: readonly string[];
}

/** The texts from which the table is distilled. */
export function trainingTexts(): readonly TextList[] {
  const { definitions, examples } = wordnetTexts({ definitions: 46_000, examples: 16_000 });
  return [
    { name: "tools", texts: toolTexts(12_000) },
    { name: "dialogue", texts: dialogueTexts(6_000) },
    { name: "definitions", texts: definitions },
    { name: "examples", texts: examples },
    { name: "GitHub", texts: apiTexts("@octokit/openapi-types", "types.d.ts", 6_000) },
    { name: "public APIs", texts: openapiTexts(20_000, 13) },
    { name: "requests", texts: requestTexts(8_000) },
    { name: "Microsoft Graph", texts: apiTexts("@microsoft/microsoft-graph-types", "microsoft-graph.d.ts", 8_000) },
  ];
}
