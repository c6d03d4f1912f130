import { z } from "zod";
import { definedOnly, detail, defineTool, type Tool, type PatchOptions } from "@toolpacks/core";
import { callerStore } from "../caller-store.ts";
import { maxIdLength } from "../record-id.ts";
import { kindUses, recordSchema } from "./kind-uses.ts";
import { describeKind } from "../kind-layout.ts";
import { fieldNamesText } from "../record-fields.ts";
import type { KindDirectory } from "./kind-directory.ts";
import { kindName, onlyKinds, type StoreTools } from "./store-tools.ts";
import { describeWritten, renderWritten, writtenRecord } from "./written-record.ts";

const options = z.object({
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
  const tool = putTool(tools, "fields: tool_describe {kind}");
  let selfContained: Tool | undefined;
  return { ...tool, selfContained: () => (selfContained ??= putTool(tools, kindFieldsText(tools.kinds))) };
}

/** @param recordText the description of the record's fields */
function putTool(tools: StoreTools, recordText: string): Tool {
  const { store, kinds } = tools;
  const record = z.record(z.string().max(200), z.unknown()).describe(recordText);
  const tool = defineTool({
    name: "store_put",
    description: "Add, replace (id) or patch a record.",
    keywords: [
      ...verbs,
      ...kinds.open.flatMap(({ name, keywords }) => [name, ...keywords]),
      ...kinds.open.map(({ description }) => description),
    ],
    mutates: true,
    effects: { records: true },
    input: z.object({ kind: kindName, record, ...options.shape }),
    output: writtenRecord,
    text: renderWritten,
    handler: async ({ kind: name, record: fields, ...given }, { principal }) => {
      const kind = kinds.findOpen(name);
      const written = await callerStore(store, principal).put(kind, fields, definedOnly(given) as PatchOptions);
      return describeWritten(kind, written);
    },
  });
  return {
    ...tool,
    forKinds: (isIncluded) => storePut(onlyKinds(tools, isIncluded)),
    uses: kindUses(tool, {
      kinds: kinds.open,
      keywords: verbs,
      fields: (kind) => ({ record: recordSchema(kind) }),
    }),
  };
}

/** Maximum fields of a kind that a list names. */
const maxListedFields = 4;

/** The fields of each kind, as a tool list names them: `note {text, tags?}`. Of a kind with many fields, the required ones. */
function kindFieldsText({ open }: KindDirectory): string {
  const kinds = open.map((kind) => `${kind.name} {${fieldNamesText(describeKind(kind).schema, maxListedFields)}}`);
  return `fields by kind: ${kinds.join(", ") || "none"}`;
}
