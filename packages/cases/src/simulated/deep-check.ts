import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import { statedFacts } from "./prose.ts";

const document = z.strictObject({
  title: z.string().min(1).max(200).describe("what to call it in the findings"),
  text: z.string().max(10_000_000).describe("its whole text"),
});

export const deepCheck = defineTool({
  name: "deep_check",
  description: "Check documents: what each states, and where they contradict one another.",
  mutates: false,
  input: z.object({ documents: z.array(document).min(1).max(20).describe("what to check") }),
  output: z.object({
    documents: z.array(z.object({ title: z.string(), words: z.int(), facts: z.int() })),
    contradictions: z.array(z.object({ fact: z.string(), stated: z.array(z.string()) })),
  }),
  text: ({ documents, contradictions }) =>
    [
      ...documents.map(({ title, words, facts }) => `${title}: ${words} words, ${facts} facts`),
      ...contradictions.map(({ fact, stated }) => `contradiction: the ${fact} is ${stated.join(", or ")}`),
    ].join("\n"),
  handler({ documents }) {
    const read = documents.map(({ title, text }) => ({ title, text, facts: statedFacts(text) }));
    const names = [...new Set(read.flatMap(({ facts }) => [...facts.keys()]))];
    const stated = names.map((fact) => ({
      fact,
      stated: [...new Set(read.flatMap(({ facts }) => facts.get(fact) ?? []))],
    }));
    return {
      documents: read.map(({ title, text, facts }) => ({
        title,
        words: text.split(/\s+/).filter((word) => word !== "").length,
        facts: facts.size,
      })),
      contradictions: stated.filter((one) => one.stated.length > 1),
    };
  },
});
