import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, definePack, ToolError, type Tool } from "@toolpacks/core";
import { issues } from "@toolpacks/issues";
import { sqlite } from "@toolpacks/store-sqlite";
import { packContract } from "@toolpacks/testkit";
import { newTracker, trackerPack } from "./tracker-pack.fixture.ts";
import { trackerSync } from "./tracker-sync.ts";

// The tool calls tools of other packs, which the contract does not mount: this pack's tool runs on a server that has them.
packContract(() => {
  const folder = mkdtempSync(path.join(tmpdir(), "tracker-sync-"));
  const store = sqlite(path.join(folder, "store.db"));
  const servers = { github: { server: "tracker", tracker: "github", args: { owner: "acme", repo: "web" } } };
  const own = trackerSync({ store, servers });
  const catalog = createCatalog({ packs: [own, issues({ store, roots: [] }), trackerPack(newTracker())] });
  const dispatcher = createDispatcher(catalog);
  const onServer = (tool: Tool): Tool => ({
    ...tool,
    async run(args, context) {
      const outcome = await dispatcher.dispatch({ name: tool.name, args, context });
      if (outcome.ok) return outcome.value;
      throw new ToolError(outcome.failure.code, outcome.failure.message, outcome.failure.hint);
    },
  });
  const { name, description, budget, kinds } = own;
  const tools = async () => (await own.tools()).map(onServer);
  return {
    pack: definePack({ name, description, budget, kinds, tools })(),
    fingerprint: () => store.generation(),
    async dispose() {
      await store.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
