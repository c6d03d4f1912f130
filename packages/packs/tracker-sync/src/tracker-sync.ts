import { definePack } from "@toolpacks/core";
import { z } from "zod";
import { linkKind } from "./link-kind.ts";
import { runKind } from "./one-run.ts";

/**
 * The pack of `issue_sync`, which keeps the issues of the store and those of other trackers alike. It calls the tools of the issues pack and of the
 * trackers' servers on the same surface, with the rights of its caller.
 */
export const trackerSync = definePack({
  name: "tracker-sync",
  description: "Keeps issues and those of another tracker alike.",
  budget: 300,
  kinds: [linkKind, runKind],
  needs: ["store"],
  options: z.strictObject({
    // Read by the tool: its schema is large, and a start should not load it.
    servers: z
      .record(z.string().max(100), z.record(z.string(), z.unknown()))
      .describe("other issue trackers by name: the tracker's kind (github, or a mapping), args of every call, fields"),
  }),
  tools: async ({ servers }, { store }) => [(await import("./issue-sync.ts")).issueSync({ servers, store })],
});
