import type { OpenTools } from "../open-tools.ts";

/** The tools as a model gets them, each with what it takes of the conversation. */
export async function renderTools({ listed, instructions }: OpenTools): Promise<readonly string[]> {
  const { encode } = await import("gpt-tokenizer/encoding/o200k_base");
  const tools = listed.map((tool) => ({ tool, tokens: encode(JSON.stringify(tool)).length }));
  const total = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  return [
    ...(instructions === undefined ? [] : indented(`instructions: ${instructions}`)),
    `${tools.length} tools, ${total} tokens`,
    ...tools.flatMap(({ tool, tokens }) => [
      ...indented(`${tool.name} (${tokens}): ${tool.description}`),
      `  ${JSON.stringify(tool.inputSchema)}`,
    ]),
  ];
}

/** All lines but the first begin with two spaces, so that a description cannot fake a tool. */
function indented(text: string): readonly string[] {
  const [first = "", ...others] = text.split(/\r?\n/);
  return [first, ...others.map((line) => `  ${line}`)];
}
