import { defineTool, type Tool, type Kind } from "@toolpacks/core";
import { callerStore } from "../caller-store.ts";
import { closeInput } from "./store-close.ts";
import { putRecord } from "./store-put.ts";
import { queryInput, queryOutput, renderQuery } from "./store-query.ts";
import type { StoreTools } from "./store-tools.ts";
import { describeWritten, renderWritten, writtenRecord } from "./written-record.ts";

/** The deprecated tools of kinds, for callers that still use them. */
export function deprecatedTools(tools: StoreTools): readonly Tool[] {
  return tools.kinds.all.flatMap((kind) =>
    [
      ...(kind.aliases.put ?? []).map((name) => putAlias(tools, kind, name)),
      ...(kind.aliases.query ?? []).map((name) => queryAlias(tools, kind, name)),
      ...(kind.aliases.close ?? []).map((name) => closeAlias(tools, kind, name)),
    ].map((tool) => onlyFor(kind, tool)),
  );
}

function onlyFor(kind: Kind, tool: Tool): Tool {
  const only: Tool = { ...tool, forKinds: (isIncluded) => (isIncluded(kind) ? only : undefined) };
  return only;
}

function putAlias({ store }: StoreTools, kind: Kind, name: string): Tool {
  return defineTool({
    name,
    description: `Add a ${kind.name}.`,
    deprecated: `call store_put with {"kind": "${kind.name}", "record": {…}}.`,
    mutates: true,
    input: kind.schema,
    output: writtenRecord,
    text: renderWritten,
    handler: async (record, { principal }) =>
      describeWritten(kind, await putRecord(callerStore(store, principal), kind, { record })),
  });
}

function queryAlias(tools: StoreTools, kind: Kind, name: string): Tool {
  return defineTool({
    name,
    description: `List records of kind ${kind.name}.`,
    deprecated: `call store_query with {"kind": "${kind.name}", …}.`,
    mutates: false,
    input: queryInput,
    output: queryOutput,
    text: renderQuery,
    handler: async (query, { principal }) => {
      const { runQuery } = await import("./run-query.ts");
      return runQuery(tools, kind, { ...query, caller: principal });
    },
  });
}

function closeAlias({ store }: StoreTools, kind: Kind, name: string): Tool {
  return defineTool({
    name,
    description: `Close a ${kind.name}.`,
    deprecated: `call store_close with {"kind": "${kind.name}", "id": …}.`,
    mutates: true,
    input: closeInput,
    output: writtenRecord,
    text: renderWritten,
    handler: async ({ id, note }, { principal }) =>
      describeWritten(kind, await callerStore(store, principal).close(kind, id, note)),
  });
}
