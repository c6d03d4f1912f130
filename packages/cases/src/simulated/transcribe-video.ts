import { defineTool } from "@toolpacks/core";
import { z } from "zod";
import { writeProse } from "./prose.ts";

const sentenceCount = 400;
const secondsPerSentence = 6;

export const transcribeVideo = defineTool({
  name: "transcribe_video",
  description: "Transcribe a video: its whole text, with times.",
  mutates: false,
  input: z.object({ url: z.url().max(2_000).describe("the video's address") }),
  output: z.object({ transcript: z.string() }),
  text: ({ transcript }) => transcript,
  handler({ url }) {
    const { sentences } = writeProse(`video ${url}`, sentenceCount);
    return {
      transcript: sentences.map((sentence, at) => `[${clock(at * secondsPerSentence)}] ${sentence}`).join("\n"),
    };
  },
});

function clock(seconds: number): string {
  const pad = (part: number) => String(part).padStart(2, "0");
  return `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`;
}
