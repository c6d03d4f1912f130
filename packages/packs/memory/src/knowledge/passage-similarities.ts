import type { TextComparer } from "@toolpacks/meaning";

/** Maximum length of a passage, in characters: a few sentences, whose meanings do not hide each other. */
const maxPassageLength = 400;
/** Maximum length of a text that is compared, in characters. */
const maxComparedLength = 10_000;

/**
 * The similarity of each text with a question: that of its most similar passage, as a cosine. The mean of a long text says little about any part of it.
 *
 * @returns undefined while there are no vectors
 */
export async function passageSimilarities(
  compare: TextComparer,
  question: string,
  texts: readonly string[],
): Promise<readonly number[] | undefined> {
  const passages = texts.map(passagesOf);
  const similarities = await compare([question], passages.flat());
  if (similarities === undefined) return undefined;
  let from = 0;
  return passages.map(({ length }) => {
    const own = similarities.subarray(from, from + length);
    from += length;
    return Math.max(...own);
  });
}

/** The compared passages of a text, split at ends of lines and sentences. */
function passagesOf(text: string): readonly string[] {
  const passages = [""];
  for (const sentence of text.slice(0, maxComparedLength).split(/\n+|(?<=[.!?]) /)) {
    const longer = `${passages.at(-1)} ${sentence}`.trim();
    if (longer.length <= maxPassageLength) passages[passages.length - 1] = longer;
    else passages.push(sentence.slice(0, maxPassageLength));
  }
  return passages;
}
