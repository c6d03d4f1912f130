import { definePack, defineTool, ToolError } from "@toolpacks/core";
import { z } from "zod";

const id = z.string().max(36).describe("the note's id");
const note = z.object({ id: z.string(), text: z.string() });
const kept = z.instanceof(Map<string, string>).default(() => new Map());

export const notes = definePack({
  name: "notes",
  description: "Short notes, kept while the server runs.",
  budget: 120,
  options: z.object({ kept }).prefault({}),
  tools: ({ kept }) => [
    defineTool({
      name: "note_add",
      description: "Add a note.",
      mutates: true,
      examples: [{ say: "remember to water the plants", args: { text: "Water the plants." } }],
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
      examples: [{ say: "what did I note", args: {} }],
      input: z.object({}),
      output: z.object({ notes: z.array(note) }),
      handler: () => ({ notes: [...kept].map(([id, text]) => ({ id, text })) }),
    }),
    defineTool({
      name: "note_remove",
      description: "Remove a note.",
      mutates: true,
      input: z.object({ id }),
      output: z.object({ removed: z.string() }),
      handler({ id }) {
        if (kept.delete(id)) return { removed: id };
        throw new ToolError("not_found", `id: no note has the id ${id}`, "Find ids with note_list.");
      },
    }),
  ],
});
