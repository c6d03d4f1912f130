import { definePack, defineStepType, defineTool } from "@toolpacks/core";
import { z } from "zod";

const note = z.object({ id: z.string(), text: z.string() });
const kept = z.instanceof(Map<string, string>).default(() => new Map());

export const notes = definePack({
  name: "notes",
  description: "Short notes, kept while the server runs.",
  budget: 100,
  options: z.object({ kept }).prefault({}),
  // A step of workflows, which no list shows: {"step": "note_digest", "params": {"words": 5}}
  steps: ({ kept }) => [
    defineStepType({
      name: "note_digest",
      description: "The first words of every note.",
      mutates: false,
      params: z.object({ words: z.int().min(1).max(50).default(5) }),
      run: ({ words }) => ({ lines: [...kept.values()].map((text) => text.split(" ").slice(0, words).join(" ")) }),
    }),
  ],
  tools: ({ kept }) => [
    defineTool({
      name: "note_add",
      description: "Add a note.",
      mutates: true,
      input: z.object({ text: z.string().min(1).max(10_000).describe("what to remember") }),
      output: note,
      handler({ text }) {
        const id = crypto.randomUUID();
        kept.set(id, text);
        return { id, text };
      },
    }),
    defineTool({
      name: "note_list",
      description: "List all notes.",
      mutates: false,
      input: z.object({}),
      output: z.object({ notes: z.array(note) }),
      handler: () => ({ notes: [...kept].map(([id, text]) => ({ id, text })) }),
    }),
  ],
});
