import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import { writeProse } from "./prose.ts";

const sentenceCount = 600;
const perParagraph = 5;

export const fetchPage = defineTool({
  name: "fetch_page",
  description: "Fetch a web page as Markdown.",
  mutates: false,
  input: z.object({ url: z.url().max(2_000).describe("the page's address") }),
  output: z.object({ markdown: z.string() }),
  text: ({ markdown }) => markdown,
  handler({ url }) {
    const { sentences } = writeProse(`page ${url}`, sentenceCount);
    const paragraphs = Array.from({ length: Math.ceil(sentences.length / perParagraph) }, (_, at) =>
      sentences.slice(at * perParagraph, (at + 1) * perParagraph).join(" "),
    );
    return { markdown: `# ${new URL(url).pathname}\n\n${paragraphs.join("\n\n")}\n` };
  },
});
