import { appendFileSync } from "node:fs";
import { definePack, defineTool } from "@toolpacks/core";
import { createSurface, type Surface } from "@toolpacks/surface";
import { z } from "zod";

/** A surface with a tool that asks. Each of its calls leaves lines in a file, which several processes share. */
export function askingSurface(file: string): Promise<Surface> {
  const log = (line: string) => appendFileSync(file, `${line}\n`);
  const shop = definePack({
    name: "shop",
    description: "Asks before it orders.",
    budget: 300,
    tools: () => [
      defineTool({
        name: "order",
        description: "Order an item, after one or more questions.",
        mutates: true,
        input: z.object({
          item: z.string(),
          questions: z.int().default(1),
          characters: z.int().default(0),
          waits: z.boolean().default(false),
        }),
        output: z.object({ answers: z.array(z.string()), receipt: z.string() }),
        handler: async ({ item, questions, characters, waits }, { elicit, signal }) => {
          log(`began ${item}`);
          signal.addEventListener("abort", () => log(`cancelled ${item}`));
          const answers: string[] = [];
          for (let asked = 1; asked <= questions; asked += 1) {
            const answer = await elicit?.({
              message: `${asked}?`,
              requestedSchema: { type: "object", properties: {} },
            });
            answers.push(`${answer?.action} ${JSON.stringify(answer?.content)}`);
          }
          log(`answered ${item}`);
          if (waits) await new Promise((resolve) => signal.addEventListener("abort", resolve));
          return { answers, receipt: "€".repeat(characters) };
        },
      }),
    ],
  });
  return createSurface({ packs: [shop()], surface: "direct" });
}
