import { listTool, type Tool } from "@toolpacks/core";
import { isDeepStrictEqual } from "node:util";
import { resultText, type PackConnection, type WireTool } from "../connection.ts";
import { failureOf } from "./invalid-arguments.ts";

/** Checks that `tools/list` matches the pack, except for what an SDK adds. */
export async function listProblems(connection: PackConnection, tools: readonly Tool[]): Promise<readonly string[]> {
  const listed = await connection.listTools();
  const names = listed.map(({ name }) => name).join(", ");
  const expected = tools.map(({ name }) => name).join(", ");
  if (names !== expected) return [`list: expected ${expected}, listed ${names}`];
  return tools.flatMap((tool, at) => {
    const wire = listed[at];
    const own = JSON.parse(JSON.stringify(listTool(tool.selfContained?.() ?? tool, "both"))) as WireTool;
    if (wire === undefined) return [];
    const problems: string[] = [];
    if (wire.description !== own.description) problems.push(`${tool.name}: list: another description`);
    if (!isDeepStrictEqual(withoutSdkKeywords(wire.inputSchema), withoutSdkKeywords(own.inputSchema))) {
      problems.push(`${tool.name}: list: another input schema: ${JSON.stringify(wire.inputSchema)}`);
    }
    if (!isDeepStrictEqual(withoutSdkKeywords(wire.outputSchema), withoutSdkKeywords(own.outputSchema))) {
      problems.push(`${tool.name}: list: another output schema: ${JSON.stringify(wire.outputSchema)}`);
    }
    if (!isDeepStrictEqual({ ...wire.annotations }, { ...own.annotations })) {
      problems.push(`${tool.name}: list: other annotations: ${JSON.stringify(wire.annotations)}`);
    }
    return problems;
  });
}

/** Removes the keywords that the SDKs add to the root of a schema. */
function withoutSdkKeywords(schema: Readonly<Record<string, unknown>> | undefined): unknown {
  if (schema === undefined) return undefined;
  const { $schema: _, additionalProperties, ...rest } = schema;
  const isAdded = typeof additionalProperties !== "object" || isDeepStrictEqual(additionalProperties, {});
  return isAdded ? rest : { ...rest, additionalProperties };
}

/** Checks that an example call succeeds, its structured content matches the output schema, and its text is complete. */
export async function resultProblems(
  connection: PackConnection,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const call = `${tool.name} ${JSON.stringify(args)}`;
  const result = await connection.callTool(tool.name, args);
  if (result.isError === true) {
    return [`${call}: answered ${failureOf(result)?.code ?? "an error"}: ${resultText(result)}`];
  }
  if (result.content.length === 0) return [`${call}: the result is empty`];
  if (result.structuredContent === undefined) {
    const blocks = result.content.some(({ type }) => type !== "text");
    return blocks || tool.media || tool.output === undefined ? [] : [`${call}: no structured content`];
  }
  if (result.content.some(({ type }) => type !== "text")) {
    return [`${call}: a block that is not text beside structured content`];
  }
  if (resultText(result).trim() === "")
    return [`${call}: structured content without text; clients that show text show nothing`];
  const checked = await tool.output?.check(result.structuredContent);
  return checked === undefined || checked.ok
    ? []
    : [`${call}: the result does not match the output schema: ${checked.message}`];
}
