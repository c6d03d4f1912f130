import type { Tool } from "@toolpacks/core";

/** Arguments to call each tool with in tests, by the tool's name. */
export type ExampleCalls = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** The calls to try a tool with: the contract's own where it names the tool, otherwise the examples it declares. */
export function exampleCalls(tool: Tool, given: ExampleCalls): readonly Readonly<Record<string, unknown>>[] {
  return given[tool.name] ?? tool.examples.map(({ args }) => args);
}

/** Every tool can be tried, and the examples it declares are ones that it accepts. */
export async function exampleProblems(tools: readonly Tool[], given: ExampleCalls): Promise<readonly string[]> {
  const known = new Set(tools.map(({ name }) => name));
  const strangers = Object.keys(given).filter((name) => !known.has(name));
  const problems = strangers.map((name) => `examples: ${name} is not a tool of this pack`);
  for (const tool of tools) {
    if (exampleCalls(tool, given).length === 0) {
      problems.push(`${tool.name}: examples: none; declare one, or give one to the contract`);
    }
    for (const { args } of tool.examples) {
      const checked = await tool.input.check(args);
      if (!checked.ok) problems.push(`${tool.name}: examples: ${checked.message}`);
    }
  }
  return problems;
}
