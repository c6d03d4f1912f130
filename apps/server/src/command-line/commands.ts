import { createProgram, type Program } from "@toolpacks/command-line";
import { version } from "../version.ts";
import { recordGroup, storeGroup } from "./record-commands.ts";
import { serveGroup } from "./serve-commands.ts";
import { setupGroup } from "./setup-commands.ts";
import { loadTools, toolGroup } from "./tool-commands.ts";

/** The command line of this server. To add a command, add an entry to its group. */
export const program: Program = createProgram({
  name: "toolpacks",
  version,
  description: "An MCP server that mounts many tool packs behind a tool list of constant size.",
  groups: [serveGroup, setupGroup, toolGroup, recordGroup, storeGroup],
  parents: {
    config: "print the schema of the config file",
    tokens: "manage the bearer tokens of serve --http",
    workspaces: "list and join workspaces",
  },
  defaults: { "": "serve", workspaces: "workspaces list" },
  examples: [
    "toolpacks init                  set up the clients on this machine",
    "toolpacks serve --root .        serve this folder, read-only",
    "toolpacks doctor                check the config, and print all problems",
    "toolpacks call fs_read path=README.md",
  ],
  others: async () => {
    const { toolCommands, toolProgram } = await loadTools();
    return toolCommands(toolProgram);
  },
});
