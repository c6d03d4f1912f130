import type { OpenTools } from "@toolpacks/cases";

/** The tools as a model gets them, each with what it takes of the conversation. */
export async function renderTools({ listed, instructions }: OpenTools): Promise<string> {
  const { countTokens } = await import("../count-tokens.ts");
  const tools = listed.map((tool) => ({ tool, tokens: countTokens(JSON.stringify(tool)) }));
  const total = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  return [
    ...(instructions === undefined ? [] : [`instructions: ${instructions}\n`]),
    `${tools.length} tools, ${total} tokens\n`,
    ...tools.map(
      ({ tool, tokens }) => `${tool.name} (${tokens}): ${tool.description}\n  ${JSON.stringify(tool.inputSchema)}\n`,
    ),
  ].join("");
}
