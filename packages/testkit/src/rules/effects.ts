import { listTool, type Tool } from "@toolpacks/core";

/** Checks that `mutates` is declared, and that the annotations match it. */
export function effectProblems(tools: readonly Tool[]): readonly string[] {
  return tools.flatMap((tool) => {
    if (typeof tool.mutates !== "boolean") return [`${tool.name}: mutates: expected true or false`];
    const { annotations } = listTool(tool, "both");
    const problems: string[] = [];
    if (annotations.readOnlyHint === tool.mutates) problems.push(`${tool.name}: readOnlyHint contradicts mutates`);
    if (annotations.destructiveHint && !tool.mutates) problems.push(`${tool.name}: destructive, but does not mutate`);
    if (!tool.mutates && tool.effects.destructive === true) {
      problems.push(`${tool.name}: effects.destructive: says nothing of a tool that does not mutate`);
    }
    return problems;
  });
}
