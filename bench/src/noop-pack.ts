import { definePack, defineTool } from "@toolpacks/core";
import { z } from "zod";

/** One tool that does nothing, to measure the way to it. */
export const noop = definePack({
  name: "noop",
  description: "Does nothing.",
  budget: 100,
  tools: () => [
    defineTool({
      name: "noop",
      description: "Do nothing.",
      mutates: false,
      input: z.object({}),
      output: z.object({ done: z.boolean() }),
      handler: () => ({ done: true }),
    }),
  ],
});
