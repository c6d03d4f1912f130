import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Pack } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { createSurface, type Surface, type SurfaceName } from "@toolpacks/surface";
import { workflows } from "@toolpacks/workflows";
import { expect, test } from "vitest";
import { notes } from "./notes.ts";

async function mounted(pack: Pack, surface: SurfaceName): Promise<Surface> {
  const store = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "notes-")), "store.db"));
  const definitions = { digest: { steps: [{ step: "note_digest", params: { words: "${input.words}" } }] } };
  return createSurface({ packs: [pack, workflows({ store, definitions })], surface });
}

const kept = new Map([
  ["n1", "Feed the cat and the dog."],
  ["n2", "Sleep."],
]);

test("the step type runs in a workflow", async () => {
  const { dispatcher } = await mounted(notes({ kept }), "direct");
  const args = { name: "digest", input: { words: 2 } };
  const outcome = await dispatcher.dispatch({ name: "workflow_run", args });
  expect(outcome).toMatchObject({ ok: true, value: { status: "ok", result: { lines: ["Feed the", "Sleep."] } } });
});

test.each(["direct", "discovery"] as const)("the step type does not change the %s list", async (surface) => {
  const withoutSteps: Pack = { ...notes({ kept }), steps: async () => [] };
  const listed = async (pack: Pack) => JSON.stringify(await (await mounted(pack, surface)).listing());
  expect(await listed(notes({ kept }))).toBe(await listed(withoutSteps));
});
