import type { OpenTools } from "../open-tools.ts";

/** Renders the tools as the model gets them, with the tokens of each. */
export async function renderTools({ listed, instructions }: OpenTools): Promise<readonly string[]> {
  const { encode } = await import("gpt-tokenizer/encoding/o200k_base");
  const tools = listed.map((tool) => ({ tool, tokens: encode(JSON.stringify(tool)).length }));
  const total = tools.reduce((sum, { tokens }) => sum + tokens, 0);
  return [
    ...(instructions === undefined ? [] : indentRest(`instructions: ${instructions}`)),
    `${tools.length} tools, ${total} tokens`,
    ...tools.flatMap(({ tool, tokens }) => [
      ...indentRest(`${tool.name} (${tokens}): ${tool.description}`),
      `  ${JSON.stringify(tool.inputSchema)}`,
    ]),
  ];
}

/** Indents all lines but the first, so that a description cannot fake a tool. */
function indentRest(text: string): readonly string[] {
  const [first = "", ...others] = text.split(/\r?\n/);
  return [first, ...others.map((line) => `  ${line}`)];
}
