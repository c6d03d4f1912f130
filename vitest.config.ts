import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

/** No test may write what the user who runs it keeps. */
const data = mkdtempSync(path.join(tmpdir(), "toolpacks-data-"));

const conditions = ["@toolpacks/source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["{packages,apps,examples,bench,scripts,node-versions}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    // No test may open the store of the user who runs it, or read what that user trusts.
    env: {
      TOOLPACKS_STORE: path.join(data, "store.db"),
      XDG_DATA_HOME: data,
      // Generated sequences of each store's contract. The campaign runs more.
      TOOLPACKS_SEQUENCES: process.env["TOOLPACKS_SEQUENCES"] ?? "300",
      XDG_CONFIG_HOME: mkdtempSync(path.join(tmpdir(), "toolpacks-settings-")),
    },
    // Most of what takes long waits for other processes: on two cores one worker, the default, would leave half the time unused.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
