import { z } from "zod";
import { detail, defineTool, type Tool } from "@toolpacks/core";
import { callerStore } from "../caller-store.ts";
import { kindName, onlyKinds, recordId, type StoreTools } from "./store-tools.ts";
import { describeWritten, renderWritten, writtenRecord } from "./written-record.ts";

/** `store_close`: closes a record of any kind. */
export function storeClose(tools: StoreTools): Tool {
  const tool = defineTool({
    name: "store_close",
    description: "Close a record: done, kept, no longer listed.",
    keywords: ["done", "finish", "complete", "resolve", "archive", ...tools.kinds.open.map(({ name }) => name)],
    mutates: true,
    effects: { destructive: false, idempotent: true, records: true },
    input: z.object({
      kind: kindName,
      id: recordId,
      note: z.string().max(10_000).optional().meta(detail("why, or what came of it")),
    }),
    output: writtenRecord,
    text: renderWritten,
    handler: async ({ kind: name, id, note }, { principal }) => {
      const kind = tools.kinds.findOpen(name);
      return describeWritten(kind, await callerStore(tools.store, principal).close(kind, id, note));
    },
  });
  return { ...tool, forKinds: (isIncluded) => storeClose(onlyKinds(tools, isIncluded)) };
}
