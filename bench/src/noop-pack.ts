import { definePack, defineTool } from "@toolpacks/core";
import { z } from "zod";

/** A tool that does nothing, to measure the overhead of a call. */
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
