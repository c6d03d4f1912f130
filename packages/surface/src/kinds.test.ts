import { defineKind, definePack, defineTool, renderFailure } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createSurface } from "./surface.ts";
import { sample } from "./packs.fixture.ts";

const book = defineKind({
  name: "book",
  description: "Something to read.",
  schema: z.object({
    title: z.string().min(1).max(200),
    owner: z.object({ name: z.string().max(100) }).optional(),
    shelf: z.int().min(0).optional().describe("counted from the door"),
  }),
  indexes: ["shelf", "owner.name"],
  text: ["title"],
  examples: [{ title: "The Periodic Table", shelf: 2 }],
});

const library = definePack({
  name: "library",
  description: "Books.",
  budget: 1,
  kinds: [book],
  tools: () => [],
});

const desk = definePack({
  name: "desk",
  description: "Where books are handed in.",
  core: true,
  budget: 100,
  tools: () => [
    defineTool({
      name: "desk_hand_in",
      description: "Hand in a book.",
      mutates: true,
      input: z.object({ id: z.string().max(20).describe("the book's") }),
      output: z.object({ id: z.string() }),
      handler: ({ id }) => ({ id }),
    }),
  ],
});

async function ask(args: unknown): Promise<string> {
  const surface = await createSurface({ packs: [sample(), library(), desk()] });
  const outcome = await surface.call({ name: "tool_describe", args });
  return outcome.ok ? outcome.text : renderFailure(outcome.failure);
}

describe("tool_describe with a kind", () => {
  test("shows fields, filterable and searchable fields, and an example", async () => {
    expect(await ask({ kind: "book" })).toMatchInlineSnapshot(`
      "kind book: Something to read.
        title: string
        owner?: object
          name: string
        shelf?: int - counted from the door
      filter and sort by: id, shelf (number), owner.name (string)
      text searches: title
      example: {"kind":"book","record":{"title":"The Periodic Table","shelf":2}}"
    `);
  });

  test("returns its JSON Schema on request", async () => {
    expect(await ask({ kind: "book", schema: true })).toMatch(
      /record schema: \{.*"title":\{"type":"string","minLength":1/,
    );
  });

  test("also explains a tool in the same call", async () => {
    const answer = await ask({ name: "desk_hand_in", kind: "book" });
    expect(answer).toContain("desk_hand_in [mutates]: Hand in a book");
    expect(answer).toContain("kind book: Something to read.");
  });

  test("lists the known kinds for an unknown kind", async () => {
    expect(await ask({ kind: "boook" })).toBe(
      'not_found: kind: there is no kind "boook", did you mean book?\nKinds: book.',
    );
  });
});

describe("a pack of the core facet", () => {
  test("is listed beside the discovery entries, whatever facets are exposed", async () => {
    const surface = await createSurface({ packs: [sample(), library(), desk()] });
    const names = (await surface.listing()).map(({ name }) => name);
    expect(names).toEqual(["tool_search", "tool_describe", "tool_read", "tool_invoke", "desk_hand_in"]);
  });

  test("is not listed when it is denied", async () => {
    const surface = await createSurface({ packs: [sample(), library(), desk()], rights: { deny: ["desk"] } });
    const names = (await surface.listing()).map(({ name }) => name);
    expect(names).toEqual(["tool_search", "tool_describe", "tool_read", "tool_invoke"]);
  });
});
