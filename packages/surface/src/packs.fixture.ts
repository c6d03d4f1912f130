import { existsSync, readFileSync } from "node:fs";
import {
  defineForeignTool,
  definePack,
  defineTool,
  reply,
  ToolError,
  type JsonSchema,
  type Pack,
} from "@toolpacks/core";
import { z } from "zod";

/** A small pack with a tool of each sort: reading, changing, failing, an image, an alias. */
export const sample = definePack({
  name: "sample",
  description: "Notes for tests. Second sentence.",
  instructions: "Keep notes short.",
  budget: 600,
  tools: () => [
    defineTool({
      name: "note_read",
      description: "Read one note's text. It is kept in memory.",
      keywords: ["memo"],
      examples: [{ say: "what does the first note say", args: { id: "n1" } }],
      aliases: ["read_note"],
      mutates: false,
      input: z.object({
        id: z.string().max(20).describe("the note's id"),
        lines: z.int().min(1).optional().describe("first lines only"),
      }),
      output: z.object({ id: z.string(), text: z.string() }),
      text: ({ text }) => text,
      handler: ({ id }) => {
        if (id !== "n1") throw new ToolError("not_found", `id: no note ${id}`, "There is n1.");
        return { id, text: "hello" };
      },
    }),
    defineTool({
      name: "note_write",
      description: "Write a note.",
      mutates: true,
      input: z.object({ text: z.string().max(100).describe("what to keep") }),
      output: z.object({ id: z.string() }),
      handler: () => ({ id: "n2" }),
    }),
    defineTool({
      name: "note_picture",
      description: "Draw a note as an image.",
      mutates: false,
      media: true,
      input: z.object({}),
      output: z.object({}),
      handler: () => reply([{ type: "image", data: "aGk=", mimeType: "image/png" }]),
    }),
    defineTool({
      name: "note_break",
      description: "Fail with a bug.",
      mutates: false,
      input: z.object({}),
      output: z.object({}),
      handler: () => {
        throw new Error("secret inner detail");
      },
    }),
  ],
});

const verbs = ["list", "get", "create", "update", "delete"];
const nouns = ["invoice", "customer", "branch", "message", "ticket", "calendar_event", "repository", "deployment"];

/** A pack of any number of tools, generated, of the shape that real servers have. */
export function syntheticPack(count: number, name = "synthetic"): Pack {
  return definePack({
    name,
    description: `Generated tools, ${count} of them.`,
    budget: 1_000_000,
    tools: () =>
      Array.from({ length: count }, (_, at) => {
        const verb = verbs[at % verbs.length] ?? "list";
        const noun = nouns[Math.floor(at / verbs.length) % nouns.length] ?? "thing";
        return defineForeignTool({
          name: `${name}_${verb}_${noun}_${at}`,
          description: `${verb} a ${noun.replace("_", " ")} of account ${at}. Answers its current state and links to what belongs to it.`,
          mutates: verb !== "list" && verb !== "get",
          inputSchema: {
            type: "object",
            properties: {
              owner: { type: "string", description: "account that owns it" },
              [`${noun}_id`]: { type: "string", description: `which ${noun}` },
              state: { type: "string", enum: ["open", "closed", "all"], description: "only those in this state" },
              page: { type: "integer", minimum: 1, description: "page of results" },
              labels: { type: "array", items: { type: "string" }, description: "with all of these labels" },
            },
            required: ["owner", `${noun}_id`],
          },
          handler: (args) => ({ args }),
        });
      }),
  })();
}

interface ForeignListing {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

/** Tool definitions of other servers, if a folder beside the repository has them. */
export function sharedTools(file: string): readonly ForeignListing[] | undefined {
  const path = new URL(`../../../../shared/data/${file}`, import.meta.url);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8");
  const parsed: unknown = file.endsWith(".jsonl")
    ? text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as unknown)
    : JSON.parse(text);
  return parsed as readonly ForeignListing[];
}

/** A pack of foreign definitions whose tools return their arguments. */
export function foreignPack(name: string, tools: readonly ForeignListing[]): Pack {
  return definePack({
    name,
    description: "Another server's tools.",
    budget: 1_000_000,
    tools: () =>
      tools.map((tool) =>
        defineForeignTool({
          name: tool.name,
          description: tool.description ?? "",
          mutates: tool.annotations?.readOnlyHint !== true,
          inputSchema: tool.inputSchema ?? { type: "object" },
          handler: (args) => ({ args }),
        }),
      ),
  })();
}
