import type { Tool } from "@toolpacks/core";

/** Arguments of test calls, by tool name. */
export type ExampleCalls = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** The test calls of a tool: those of the contract if it has some for the tool, otherwise the tool's examples. */
export function exampleCalls(tool: Tool, contractExamples: ExampleCalls): readonly Readonly<Record<string, unknown>>[] {
  return contractExamples[tool.name] ?? tool.examples.map(({ args }) => args);
}

/** Checks that every tool has a test call and accepts its own examples. */
export async function exampleProblems(
  tools: readonly Tool[],
  contractExamples: ExampleCalls,
): Promise<readonly string[]> {
  const known = new Set(tools.map(({ name }) => name));
  const unknownNames = Object.keys(contractExamples).filter((name) => !known.has(name));
  const problems = unknownNames.map((name) => `examples: ${name} is not a tool of this pack`);
  for (const tool of tools) {
    if (exampleCalls(tool, contractExamples).length === 0) {
      problems.push(`${tool.name}: examples: none; declare one, or give one to the contract`);
    }
    for (const { args } of tool.examples) {
      const checked = await tool.input.check(args);
      if (!checked.ok) problems.push(`${tool.name}: examples: ${checked.message}`);
    }
  }
  return problems;
}
