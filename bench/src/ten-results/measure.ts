import { createRelay, memoryValues } from "@toolpacks/relay";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { LargeResult } from "./result.ts";

export interface Measured {
  /** Tokens of the whole result, and of what is shown in its place. */
  readonly tokens: number;
  readonly shownTokens: number;
  /** Questions that what is shown answers alone. */
  readonly shownAnswers: number;
  /** Questions that what is shown or the one read answers. */
  readonly answers: number;
  /** Tokens of the answer of a read, on average. */
  readonly readTokens: number;
  /** What was asked and read in vain. */
  readonly open: readonly string[];
}

/** Boxes a result, and asks each question with one read. */
export async function measure({ text, questions }: LargeResult): Promise<Measured> {
  const relay = createRelay({ values: memoryValues() });
  const { content } = await relay.box({ content: [{ type: "text", text }] }, "read");
  const shown = textOf(content);
  const handle = /relay:\/\/[a-z2-7]{20}/.exec(shown)?.[0] ?? "none";
  const open: string[] = [];
  let shownAnswers = 0;
  let readTokens = 0;
  for (const { ask, expected, read, range = "" } of questions) {
    if (expected.test(shown)) shownAnswers += 1;
    const answer = await relay.read({ handle: handle + range, ...read }).then(
      ({ blocks }) => textOf(blocks),
      (error: unknown) => String(error),
    );
    readTokens += encode(answer).length;
    if (!expected.test(`${shown}\n${answer}`)) open.push(`${ask} ${String(expected)} ${answer.slice(0, 300)}`);
  }
  return {
    tokens: encode(text).length,
    shownTokens: encode(shown).length,
    shownAnswers,
    answers: questions.length - open.length,
    readTokens: Math.round(readTokens / Math.max(1, questions.length)),
    open,
  };
}

function textOf(blocks: readonly { readonly type: string; readonly text?: unknown }[]): string {
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}
