import { connectPack, resultText } from "@toolpacks/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { issues } from "./issues.ts";
import { databases } from "./stores.fixture.ts";

const related = "None has all of the words; these have some of them, or a similar meaning.";

describe.each(Object.keys(databases))("issues of a similar meaning on %s", (name) => {
  async function newClient() {
    const database = await databases[name]!();
    const store = database.open();
    const client = await connectPack(issues({ store, actor: "ann" }), "sdk 2, protocol 2026-07-28");
    onTestFinished(async () => {
      await client.close();
      await store.end();
      await database.remove();
    });
    const ask = async (tool: string, args: object) => resultText(await client.callTool(tool, { ...args }));
    await ask("issue_create", {
      issues: [
        { id: "bd-1", title: "The car needs new tyres", priority: 3 },
        { id: "bd-2", title: "Invoices are paid twice", priority: 1 },
        { id: "bd-3", title: "Paint the fence blue", priority: 0 },
      ],
    });
    return { ask, store };
  }

  test("are listed, and said to be so, where none has the words", async () => {
    const { ask } = await newClient();
    for (const [tool, line] of [
      ["issue_list", "bd-1 P3 task open: The car needs new tyres"],
      ["issue_ready", "bd-1 P3 task: The car needs new tyres"],
    ] as const) {
      expect(await ask(tool, { where: { text: "vehicle" } })).toBe(`${line}\n${related}`);
      expect(await ask(tool, { where: { text: "blue vehicle" } })).toContain("Paint the fence blue");
      expect(await ask(tool, { where: { text: "car" } })).toBe(`${line}\n(1 of 1)`);
    }
    expect(await ask("issue_list", { where: { text: "blue vehicle" }, limit: 1 })).toMatch(/^bd-\d .*\nNone has all/);
  });

  test("obey the other conditions, and are not counted or changed", async () => {
    const { ask, store } = await newClient();
    expect(await ask("issue_list", { where: { text: "vehicle", priority: { lte: 2 } } })).toBe("none");
    expect(await ask("issue_list", { where: { text: "vehicle" }, limit: 0 })).toBe("none");
    expect(await ask("issue_list", { where: { text: "quantum chromodynamics" } })).toBe("none");
    const before = await store.generation();
    await ask("issue_update", { where: { text: "vehicle" }, set: { assignee: "bo" } });
    expect(await store.generation()).toBe(before);
  });
});
