import type { TextComparer } from "@toolpacks/meaning";

/** Maximum length of a passage, in characters: a few sentences, whose meanings do not hide each other. */
const maxPassageLength = 400;
const longest = new RegExp(`.{1,${maxPassageLength}}`, "gu");
/** Maximum length of a text that is compared, in characters. */
const maxComparedLength = 10_000;

interface Asked {
  readonly question: string;
  /** Whether a text has all words of the question. Then words that are near to them tell nothing more. */
  readonly isCovered?: boolean;
}

/**
 * The similarity of each text with a question, from −1.3 to 1.3: that of its most similar passage. The mean of a long text says little about any part of it.
 *
 * @returns undefined while there are no vectors
 */
export async function passageSimilarities(
  compare: TextComparer,
  { question, isCovered = false }: Asked,
  texts: readonly string[],
): Promise<readonly number[] | undefined> {
  const passages = texts.map(passagesOf);
  const { compareWithWords } = await import("@toolpacks/meaning");
  const similarities = isCovered
    ? await compare([question], passages.flat())
    : await compareWithWords(compare, question, passages.flat());
  if (similarities === undefined) return undefined;
  let from = 0;
  return passages.map(({ length }) => {
    const own = similarities.subarray(from, from + length);
    from += length;
    return Math.max(...own);
  });
}

/** The compared passages of a text, split at ends of lines and sentences, and where one is too long. */
function passagesOf(text: string): readonly string[] {
  const passages = [""];
  const sentences = text.slice(0, maxComparedLength).split(/\n+|(?<=[.!?]) /);
  for (const piece of sentences.flatMap((sentence) => sentence.match(longest) ?? [])) {
    const longer = `${passages.at(-1)} ${piece}`.trim();
    if (longer.length <= maxPassageLength) passages[passages.length - 1] = longer;
    else passages.push(piece);
  }
  return passages;
}
