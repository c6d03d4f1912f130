import { createHash } from "node:crypto";
import { definePack, defineTool, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { statedFacts, writeProse } from "./prose.ts";

/**
 * Four simulated tools with large results and no network access. Pages and transcripts are generated from their address and always the same. The
 * drive is in memory.
 */
export const simulated = definePack({
  name: "simulated",
  description: "Simulated tools: transcribe a video, fetch a page, check documents, write to a drive.",
  budget: 330,
  options: z
    .strictObject({ drive: z.instanceof(Map<string, string>).default(() => new Map()) })
    .prefault({})
    .describe("files by their paths"),
  tools: ({ drive }) => [transcribeVideo, fetchPage, deepCheck, writeDrive(drive)],
});

const secondsPerSentence = 6;

const transcribeVideo = defineTool({
  name: "transcribe_video",
  description: "Transcribe a video: its whole text, with times.",
  mutates: false,
  input: z.object({ url: z.url().max(2_000).describe("the video's address") }),
  output: z.object({ transcript: z.string() }),
  text: ({ transcript }) => transcript,
  handler({ url }) {
    const sentences = writeProse(`video ${url}`, 400);
    return {
      transcript: sentences.map((sentence, at) => `[${clock(at * secondsPerSentence)}] ${sentence}`).join("\n"),
    };
  },
});

function clock(seconds: number): string {
  const pad = (part: number) => String(part).padStart(2, "0");
  return `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`;
}

const sentencesPerParagraph = 5;

const fetchPage = defineTool({
  name: "fetch_page",
  description: "Fetch a web page as Markdown.",
  mutates: false,
  input: z.object({ url: z.url().max(2_000).describe("the page's address") }),
  output: z.object({ markdown: z.string() }),
  text: ({ markdown }) => markdown,
  handler({ url }) {
    const sentences = writeProse(`page ${url}`, 600);
    const paragraphs = Array.from({ length: Math.ceil(sentences.length / sentencesPerParagraph) }, (_, at) =>
      sentences.slice(at * sentencesPerParagraph, (at + 1) * sentencesPerParagraph).join(" "),
    );
    return { markdown: `# ${new URL(url).pathname}\n\n${paragraphs.join("\n\n")}\n` };
  },
});

const document = z.strictObject({
  title: z.string().min(1).max(200).describe("what to call it in the findings"),
  text: z.string().max(10_000_000).describe("its whole text"),
});

const deepCheck = defineTool({
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

/** @param drive files by path; a call adds a file */
function writeDrive(drive: Map<string, string>): Tool {
  return defineTool({
    name: "write_drive",
    description: "Write a file to the drive.",
    mutates: true,
    effects: { idempotent: true },
    input: z.object({
      path: z
        .string()
        .max(200)
        .regex(/^(?!\/)[^\\]+[^/\\]$/, "expected a path within the drive: talks/opening.txt")
        .describe("where, such as talks/opening.txt"),
      content: z.string().max(10_000_000).describe("the whole file"),
    }),
    output: z.object({ path: z.string(), bytes: z.int(), sha256: z.string() }),
    text: ({ path, bytes, sha256 }) => `wrote ${path}, ${bytes} bytes, sha256 ${sha256.slice(0, 12)}`,
    handler({ path, content }) {
      drive.set(path, content);
      return { path, bytes: Buffer.byteLength(content), sha256: createHash("sha256").update(content).digest("hex") };
    },
  });
}
