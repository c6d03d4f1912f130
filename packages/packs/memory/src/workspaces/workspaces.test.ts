import { runInWorkspace } from "@toolpacks/store";
import { createCatalog, createDispatcher, renderFailure } from "@toolpacks/core";
import { countTokens } from "@toolpacks/testkit";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { memory } from "../memory.ts";
import { conversation, emptyStore, type Conversation } from "../pack.fixture.ts";
import { state } from "../states/state.ts";
import { workspaceIds } from "./open-workspace.ts";
import { workspace } from "./workspace.ts";

let talk: Conversation;
beforeEach(() => {
  talk = conversation();
  return () => talk.end();
});
const ask: Conversation["ask"] = (...call) => talk.ask(...call);

describe("workspaces", () => {
  test("begin with default, which always exists and cannot be archived", async () => {
    expect(await ask("workspace_list")).toBe("default");
    expect(await ask("workspace_load")).toMatch(/^workspace default/);
    expect(await ask("workspace_update", { name: "default", purpose: "All the rest." })).toBe(
      "default | All the rest.",
    );
    expect(await ask("workspace_create", { name: "default" })).toMatch(
      /^conflict: .*\nChange it with workspace_update/,
    );
    expect(await ask("workspace_archive", { name: "default" })).toMatch(/^denied: name: default always exists/);
  });

  test("are separate: a record written in one is not in another", async () => {
    await ask("workspace_create", { name: "shop", purpose: "The shop.", files: ["a.md", "b.md"] });
    expect(await ask("workspace_list")).toBe("default\nshop | The shop. | a.md, b.md");
    const follower = memory({ store: talk.store.restrict({ workspaces: "all", calls: "followed" }) });
    const dispatcher = createDispatcher(createCatalog({ packs: [follower] }));
    const inShop = (name: string, args: object) =>
      runInWorkspace("shop", async () => dispatcher.dispatch({ name, args }));
    await inShop("memory_remember", { text: "The till is red." });
    await inShop("state_save", { name: "s", memory: "m", goal: "Paint the till" });
    expect(await inShop("memory_recall", { query: "till" })).toMatchObject({ value: { total: 1 } });
    expect(await ask("memory_recall", { query: "till" })).toMatch(/^Nothing is known/);
    expect(await ask("workspace_load", { name: "shop" })).toContain("goal: Paint the till");
    expect(await ask("state_load", { name: "s", workspace: "shop" })).toContain("Paint the till");
  });

  test("are archived with their records, and restored", async () => {
    await ask("workspace_create", { name: "shop" });
    expect(await ask("workspace_archive", { name: "shop", note: "closed" })).toMatch(/^shop \(archived 20/);
    expect(await ask("workspace_list")).toBe("default");
    expect(await ask("workspace_list", { archived: true })).toMatch(/^shop \(archived 20/);
    expect(await workspaceIds(talk.store)).toEqual(["default"]);
    expect(await ask("workspace_create", { name: "shop" })).toMatch(
      /already, archived\nworkspace_update brings it back/,
    );
    expect(await ask("workspace_update", { name: "shop", purpose: "Again." })).toBe("shop | Again.");
    expect(await workspaceIds(talk.store)).toEqual(["default", "shop"]);
  });

  test("are not created by a wrong name, which is answered with the existing ones", async () => {
    await ask("workspace_create", { name: "shop" });
    for (const tool of ["workspace_load", "workspace_update", "workspace_archive"]) {
      expect(await ask(tool, { name: "shopp" })).toBe(
        'not_found: workspace: there is no workspace "shopp", did you mean shop?\nWorkspaces: default, shop. workspace_create makes one.',
      );
    }
    expect(await ask("workspace_list")).toBe("default\nshop");
  });

  test("have one record each, under the name of their workspace", async () => {
    await expect(talk.store.put(workspace, { name: "other" })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(talk.store.put(workspace, { name: "default" }, { id: "x" })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});

describe("workspaces with names", () => {
  const named = (workspaces: "own" | "all" | readonly string[]) => {
    const workspaceName = (id: string) => id.replace(/~.*/, "");
    const { store, remove } = emptyStore({ workspace: "api~1", workspaceName });
    onTestFinished(() => remove());
    const pack = memory({ store: store.restrict({ workspaces, hint: "Ask the user." }) });
    const dispatcher = createDispatcher(createCatalog({ packs: [pack] }));
    const askNamed = async (name: string, args: object = {}) => {
      const outcome = await dispatcher.dispatch({ name, args });
      return outcome.ok ? outcome.text : renderFailure(outcome.failure);
    };
    return { store, askNamed };
  };

  test("are shown and found by name, or by id if two have the same name, and their records keep the id", async () => {
    const { store, askNamed } = named("all");
    for (const id of ["api~2", "shop~3"]) await store.in(id).put(state, { name: "s", memory: id, goal: "g" });
    expect(await askNamed("workspace_list")).toBe("api~1\ndefault\napi~2\nshop");
    expect(await askNamed("workspace_update", { name: "shop", purpose: "Sells." })).toBe("shop | Sells.");
    expect(await store.in("shop~3").get(workspace, "shop~3")).toMatchObject({ data: { name: "shop~3" } });
    expect(await askNamed("state_load", { name: "s", workspace: "shop" })).toContain("shop~3");
    expect(await askNamed("state_load", { name: "s", workspace: "api~2" })).toContain("memory: api~2");
    expect(await askNamed("workspace_load", { name: "api" })).toMatch(
      /^not_found: .*\nWorkspaces: api~1, default, api~2, shop/,
    );
    expect(await askNamed("workspace_create", { name: "shop" })).toMatch(/^conflict: /);
    expect(await askNamed("workspace_archive", { name: "shop" })).toMatch(/^shop \| Sells\. \(archived/);
    expect(await askNamed("workspace_list", { archived: true })).toMatch(/^shop \| Sells/);
    expect(await askNamed("workspace_update", { name: "shop" })).toBe("shop | Sells.");
  });

  test("are only the store's own if no other may be opened", async () => {
    const { store, askNamed } = named("own");
    await store.in("shop~3").put(state, { name: "s", memory: "m", goal: "g" });
    expect(await askNamed("workspace_list")).toBe("api");
    expect(await askNamed("workspace_update", { name: "api", purpose: "Serves." })).toBe("api | Serves.");
    for (const tool of ["workspace_create", "workspace_load", "workspace_update", "workspace_archive"]) {
      for (const name of ["shop", "shop~3", "none"]) {
        expect(await askNamed(tool, { name })).toBe(
          `denied: workspace: ${JSON.stringify(name)} may not be opened from here\nAsk the user.`,
        );
      }
    }
  });
});

describe("workspace_load", () => {
  test.each([100, 300, 1_000, 5_000])("stays within %i tokens, in either form", async (tokens) => {
    const words = "the quick brown fox jumps over a lazy dog ".repeat(100);
    await ask("workspace_update", { name: "default", purpose: words, files: ["src/a.ts", "src/b.ts"] });
    const next = Array.from({ length: 30 }, (_, at) => `step ${at}: ${words.slice(0, 80)}`);
    await ask("state_save", { name: "latest", memory: words, goal: "Get on", next });
    for (let at = 0; at < 25; at += 1) await ask("memory_recall", { query: `${words.slice(0, 120)} ${at}` });
    const outcome = await talk.dispatcher.dispatch({ name: "workspace_load", args: { tokens } });
    if (!outcome.ok) throw new Error(outcome.failure.message);
    expect(countTokens(outcome.text)).toBeLessThanOrEqual(tokens);
    expect(countTokens(JSON.stringify(outcome.value))).toBeLessThanOrEqual(tokens);
    expect(countTokens(outcome.text)).toBeGreaterThan(Math.min(tokens * 0.3, 1_000));
    if (tokens < 5_000) expect(outcome.value?.["cut"]).toBeDefined();
    else expect(outcome.value?.["cut"]).toBeUndefined();
  });
});
