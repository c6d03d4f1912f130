import { defineKind, definePack, defineTool } from "@toolpacks/core";
import { z } from "zod";

const bookmark = defineKind({
  name: "bookmark",
  description: "a page worth coming back to",
  schema: z.object({
    url: z.url().max(900).describe("address"),
    title: z.string().min(1).max(200).describe("what it is"),
    visits: z.int().min(0).default(0).describe("how often it was opened"),
  }),
  indexes: ["url", "visits"],
  text: ["title"],
  examples: [{ url: "https://example.com/", title: "An example" }],
});

export const bookmarks = definePack({
  name: "bookmarks",
  description: "Pages worth coming back to, as records of the store.",
  budget: 150,
  // The server that mounts the pack passes its store: store_put, store_query and store_close work on bookmarks too.
  needs: ["store"],
  kinds: [bookmark],
  options: z
    .strictObject({ top: z.int().min(1).max(100).default(10).describe("how many bookmark_top lists") })
    .prefault({}),
  tools: ({ top }, { store }) => [
    defineTool({
      name: "bookmark_visit",
      description: "Count a visit to a page; a new page becomes a bookmark.",
      mutates: true,
      input: z.object({
        url: z.url().max(900).describe("address"),
        title: z.string().min(1).max(200).optional().describe("of a new bookmark"),
      }),
      output: z.object({ url: z.string(), visits: z.int() }),
      handler: ({ url, title }) =>
        store.transaction(async (records) => {
          const [known] = (await records.query(bookmark, { filter: { url }, limit: 1 })).items;
          const visits = (known?.data.visits ?? 0) + 1;
          if (known === undefined) await records.put(bookmark, { url, title: title ?? url, visits });
          else await records.put(bookmark, { visits }, { id: known.id, patch: true });
          return { url, visits };
        }),
    }),
    defineTool({
      name: "bookmark_top",
      description: "List the most visited bookmarks.",
      mutates: false,
      input: z.object({}),
      output: z.object({ items: z.array(z.object({ url: z.string(), title: z.string(), visits: z.int() })) }),
      handler: async () => {
        const { items } = await store.query(bookmark, { sort: ["-visits"], limit: top });
        return { items: items.map(({ data }) => data) };
      },
    }),
  ],
});
