import { createModels } from "@toolpacks/models";
import { sqlite } from "@toolpacks/store-sqlite";
import { packContract } from "@toolpacks/testkit";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { prompts } from "./prompts.ts";

/** A dry run needs no other pack, and asks no model. */
const examples = { prompt_run: [{ prompts: [{ text: "Say {{what}}", values: { what: "hello" } }], dryRun: true }] };

packContract(
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), "prompts-"));
    const store = sqlite(path.join(folder, "store.db"));
    const models = createModels({ models: { small: { url: "http://127.0.0.1:9", price: { input: 1, output: 2 } } } });
    return {
      pack: prompts({ store, models }),
      fingerprint: () => store.generation(),
      async dispose() {
        await store.end();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  { examples },
);
