import { z } from "zod";
import { definedOnly } from "../../defined-only.ts";
import { detail } from "../../detail.ts";
import { defineTool } from "../../define-tool.ts";
import type { Tool } from "../../tool.ts";
import type { Kind, RecordData, PatchOptions, PutOptions, Store, Stored } from "../store.ts";
import { callerStore } from "../caller-store.ts";
import { maxIdLength } from "../record-id.ts";
import { kindUses, recordSchema } from "./kind-uses.ts";
import { kindName, onlyKinds, type StoreTools } from "./store-tools.ts";
import { describeWritten, renderWritten, writtenRecord } from "./written-record.ts";

const input = z.object({
  kind: kindName,
  record: z.record(z.string().max(200), z.unknown()).describe("fields: tool_describe {kind}"),
  id: z
    .string()
    .min(1)
    .max(maxIdLength)
    .optional()
    .meta(detail("of the record to replace or patch; default: a new one")),
  patch: z.boolean().optional().describe("change only these fields"),
  ifGeneration: z.int().min(0).optional().meta(detail("refuse if it was written since; 0: if it exists")),
  operationId: z.string().min(1).max(200).optional().meta(detail("the same for a retry, which then changes nothing")),
});

const verbs = ["add", "create", "save", "update", "change", "edit", "remember"];

/** `store_put`: adds, replaces or patches a record of any kind. */
export function storePut(tools: StoreTools): Tool {
  const { store, kinds } = tools;
  const tool = defineTool({
    name: "store_put",
    description: "Add, replace (id) or patch a record.",
    keywords: [...verbs, ...kinds.words, ...kinds.descriptions],
    mutates: true,
    input,
    output: writtenRecord,
    text: renderWritten,
    handler: async ({ kind: name, record, ...options }, { principal }) => {
      const kind = kinds.findOpen(name);
      const own = callerStore(store, principal);
      return describeWritten(kind, await putRecord(own, kind, { record, options: definedOnly(options) }));
    },
  });
  return {
    ...tool,
    forKinds: (isIncluded) => storePut(onlyKinds(tools, isIncluded)),
    uses: kindUses(tool, {
      kinds: kinds.all.filter(({ sealed }) => !sealed),
      keywords: verbs,
      fields: (kind) => ({ record: recordSchema(kind) }),
    }),
  };
}

/** Puts an untyped record. The store validates it. */
export function putRecord(
  store: Store,
  kind: Kind,
  { record, options = {} }: { readonly record: RecordData; readonly options?: PutOptions | object },
): Promise<Stored> {
  return store.put(kind, record, options as PatchOptions);
}
