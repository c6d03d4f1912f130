import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { resolveSettings } from "./resolve-settings.ts";

test("protectedPaths has the modules of packs and the envFiles that the config file names", async () => {
  const config = {
    packs: { "./pack.mjs": {}, noted: {}, memory: true, "./missing.mjs": {}, "not-installed": {} },
    mcpServers: { local: { command: "node", args: ["server.mjs"], envFile: ".local" } },
  };
  const cwd = folder({ "toolpacks.config.json": JSON.stringify(config) });
  const installed = path.join(cwd, "node_modules/noted");
  mkdirSync(installed, { recursive: true });
  writeFileSync(path.join(installed, "package.json"), '{"name":"noted","main":"main.cjs"}');
  writeFileSync(path.join(installed, "main.cjs"), "");
  const { protectedPaths } = await resolveSettings({ trust: true }, {}, cwd);
  const inFolder = protectedPaths.filter((one) => one.startsWith(cwd)).map((one) => path.relative(cwd, one));
  expect(inFolder).toEqual([
    "toolpacks.config.json",
    "pack.mjs",
    "node_modules/noted/main.cjs",
    "missing.mjs",
    ".local",
  ]);
});
