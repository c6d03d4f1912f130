import { isObject, ToolError, type Sample } from "@toolpacks/core";
import type { Exchange } from "./ask-endpoint.ts";
import type { ModelQuestion } from "./models.ts";
import { readAnswer } from "./read-answer.ts";

export interface ClientRequest {
  readonly sample: Sample;
  readonly question: ModelQuestion;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
}

const maxTextLength = 4 * 1024 * 1024;

/**
 * Asks the client's own model once, by `sampling/createMessage`. Resolves to its text, or to an object that matches the schema.
 *
 * @throws ToolError `unavailable` when the client refuses, or the answer is invalid
 */
export async function askClient(
  { sample, question, maxOutputTokens, signal }: ClientRequest,
  exchange: Exchange,
): Promise<Readonly<Record<string, unknown>>> {
  const { prompt, images = [], schema } = question;
  const system = [question.system, schema && jsonInstruction(schema.full())].filter((part) => part !== undefined);
  const blocks = [
    { type: "text", text: prompt },
    ...images.map(({ data, mimeType }) => ({ type: "image", data, mimeType })),
  ];
  exchange.mayHaveUsed = true;
  const result = await sample(
    {
      messages: blocks.map((content) => ({ role: "user", content })),
      maxTokens: maxOutputTokens,
      ...(system.length > 0 && { systemPrompt: system.join("\n\n") }),
    },
    signal,
  );
  const text = textOf(result["content"]);
  if (text === undefined) throw new ToolError("unavailable", "the client's answer has no text");
  if (text.length > maxTextLength) throw new ToolError("too_large", "the client's answer is longer than 4 MiB");
  exchange.text = text;
  return readAnswer(text, schema);
}

function jsonInstruction(json: object): string {
  return `Answer with one JSON object and nothing else. It must match this JSON Schema:\n${JSON.stringify(json)}`;
}

function textOf(content: unknown): string | undefined {
  const texts = [content].flat().flatMap((block) => {
    const isText = isObject(block) && block["type"] === "text" && typeof block["text"] === "string";
    return isText ? [block["text"] as string] : [];
  });
  return texts.length === 0 ? undefined : texts.join("\n");
}
