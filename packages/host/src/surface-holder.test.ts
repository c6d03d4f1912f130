import { setImmediate } from "node:timers/promises";
import { definePack, defineTool } from "@toolpacks/core";
import { createSurface, type Surface } from "@toolpacks/surface";
import { expect, test } from "vitest";
import { z } from "zod";
import { SurfaceHolder } from "./surface-holder.ts";

/** A surface with one tool. */
function surfaceOf(tool: string): Promise<Surface> {
  const pack = definePack({
    name: "sample",
    description: "One tool.",
    budget: 100,
    tools: () => [
      defineTool({
        name: tool,
        description: "Say the name of the tool.",
        mutates: false,
        input: z.object({}),
        output: z.object({ name: z.string() }),
        handler: () => ({ name: tool }),
      }),
    ],
  });
  return createSurface({ packs: [pack()], surface: "direct" });
}

test("a surface is replaced on every connection, also if one connection fails", async () => {
  const holder = new SurfaceHolder(await surfaceOf("first"), { mayChange: true });
  const seen: Surface[] = [];
  holder.watch({ replace: () => Promise.reject(new Error("closed")) });
  holder.watch({
    async replace(next) {
      await setImmediate();
      seen.push(next);
    },
  });
  const stop = holder.watch({ replace: () => Promise.reject(new Error("not stopped")) });
  stop();
  const next = await surfaceOf("second");
  await expect(holder.replace(next)).rejects.toThrow("closed");
  expect(seen).toEqual([next]);
  expect(holder.current).toBe(next);
});

test("a surface is used until every use has ended", async () => {
  const holder = new SurfaceHolder(await surfaceOf("say"));
  expect(holder.isUsed).toBe(false);
  const [first, second] = [holder.use(), holder.use()];
  first();
  first();
  expect(holder.isUsed).toBe(true);
  second();
  expect(holder.isUsed).toBe(false);
});
