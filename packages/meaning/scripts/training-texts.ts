import { readFileSync } from "node:fs";
import { apiTexts } from "./api-texts.ts";
import { dialogueTexts, requestTexts, toolTexts } from "./generated-texts.ts";
import { openapiTexts } from "./openapi-texts.ts";
import { wordnetTexts } from "./wordnet-texts.ts";

/**
 * The texts from which the table is distilled, by sort. What the vectors of one sort have in common tells the sort, not the meaning.
 *
 * @param files further sorts: files with a text on each line
 */
export function trainingTexts(
  files: readonly string[],
): readonly { readonly name: string; readonly texts: readonly string[] }[] {
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
    ...files.map((file) => ({
      name: file,
      texts: readFileSync(file, "utf8")
        .trim()
        .split(/\s*\n\s*/),
    })),
  ];
}
