import type { TextComparer } from "@toolpacks/meaning";
import { contentWords, textWords } from "@toolpacks/store";
import type { StoredObservation } from "./observation.ts";
import { passageSimilarities } from "./passage-similarities.ts";
import { datesOf } from "./question-dates.ts";
import { isAlike, statementOf, type Statement } from "./similar-observations.ts";

/** BM25: how soon more occurrences of a word add nothing, and how much a long text is discounted. */
const saturation = 0.9;
const lengthDiscount = 0.4;
/** Share of its own score that an observation adds to the one written just before or after. A farther one adds a share of this. */
const neighbourShare = 0.35;
/** Number of words from which a text has more context of its own than its neighbours give. */
const selfContainedLength = 100;
/** Maximum distance of neighbours, in generations of the store. */
const maxNeighbourDistance = 3;
/** Fewer found observations do not show how rare a word is: as many others are taken to lack it. */
const minCount = 30;
/** The weight of a date that the question names, in rare words. */
const dateWeight = 0.5;
/** The weight of a similarity of meaning that stands out, in units of the rarity of the question's rarest words. */
const meaningWeight = 1.5;
/** How much more meaning weighs if no observation has a word of the question, and the share of the question, in the best one, from which it weighs no more. */
const uncoveredGain = 2;
const lowCoverage = 0.3;
/** A similarity stands out by what it has more than the mean of all found ones and this share of their standard deviation. */
const outstanding = 0.25;
/** Number of the question's rarest words that give meaning its weight. */
const meaningWords = 5;
/** The lowest similarity of an observation that has no word of the question; and the lowest one if another has all of its words. */
const minSimilarity = 0.13;
const coveredSimilarity = 0.5;
/** The weight of recency beside the best score. It decides between close scores. */
const recencyWeight = 0.04;
/** Half-life of the recency score, in days. */
const halfLifeDays = 30;
const dayMs = 86_400_000;

interface Ranking {
  readonly question: string;
  /** The current time, in ms since 1970. */
  readonly now: number;
  /** Compares the meaning of the question with that of observations. While it has no vectors, only words count. */
  readonly compare: TextComparer;
  /** Whether observations stay that share no word with the question and are not near to it. */
  readonly keepsUnrelated: boolean;
}

/**
 * Ranks observations by the question's words, meaning and dates, their neighbours in time, and recency.
 *
 * @returns the observations, best first; `coverage`: the largest share of the question, by the rarity of its words, that one of them contains; and
 *   `similarity`: the largest one of one of them with the question, undefined while there are no vectors
 */
export async function rankObservations(found: readonly StoredObservation[], ranking: Ranking) {
  const { question, now, compare, keepsUnrelated } = ranking;
  const words = scoreWords(found, contentWords(question));
  const dates = scoreDates(found, question);
  const similarities = await passageSimilarities(
    compare,
    { question, isCovered: words.coverage > 0.999 },
    found.map(({ data }) => data.text),
  );
  const meanings = similarities === undefined ? [] : scoreMeanings(similarities);
  // The parts of a score are added here, in units of the words' score.
  const weight = meaningWeight * words.rarestSum * (1 + uncoveredGain * Math.max(0, 1 - words.coverage / lowCoverage));
  const own = words.scores.map(
    (score, at) => score + dateWeight * words.rarest * (dates[at] ?? 0) + weight * (meanings[at] ?? 0),
  );
  const scores = addNeighbours(found, { scores: own, lengths: words.lengths });
  const best = Math.max(0, ...scores);
  const recency = scoreRecency(found, now);
  const isRelated = (_: unknown, at: number) =>
    keepsUnrelated ||
    (words.scores[at] ?? 0) > 0 ||
    (similarities?.[at] ?? 0) >= Math.max(minSimilarity, coveredSimilarity * words.coverage);
  const ranked = found
    .map((one, at) => ({ one, score: (scores[at] ?? 0) + recencyWeight * best * (recency[at] ?? 0) }))
    .filter(isRelated)
    .toSorted((a, b) => b.score - a.score);
  return {
    items: newerFirst(ranked.map(({ one }) => one)),
    coverage: words.coverage,
    similarity: similarities && Math.max(0, ...similarities),
  };
}

/** The BM25 score of each observation. The rarity of a word is its rarity among the found observations. */
function scoreWords(found: readonly StoredObservation[], wanted: ReadonlySet<string>) {
  const documents = found.map(({ data }) =>
    textWords([data.text, ...(data.about ?? []), ...(data.tags ?? [])].join("\n"), wanted),
  );
  const counts = documents.map((words) => countOf(words, wanted));
  const average = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const count = Math.max(found.length, minCount);
  const rarity = new Map(
    [...wanted].map((word) => {
      const holders = counts.filter((count) => count.has(word)).length;
      return [word, Math.log(1 + (count - holders + 0.5) / (holders + 0.5))] as const;
    }),
  );
  const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
  const scores = counts.map((count, at) => {
    const length = (documents[at]?.length ?? 0) / average;
    const norm = saturation * (1 - lengthDiscount + lengthDiscount * length);
    return sumOf(
      [...count].map(([word, times]) => ((rarity.get(word) ?? 0) * times * (saturation + 1)) / (times + norm)),
    );
  });
  const all = sumOf(rarity.values());
  const covered = counts.map((count) => sumOf([...count.keys()].map((word) => rarity.get(word) ?? 0)));
  return {
    scores,
    lengths: documents.map(({ length }) => length),
    rarest: Math.max(0, ...rarity.values()),
    rarestSum: sumOf([...rarity.values()].toSorted((one, other) => other - one).slice(0, meaningWords)),
    coverage: all === 0 ? 0 : Math.max(0, ...covered) / all,
  };
}

function countOf(words: readonly string[], wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** How far each similarity stands out among the others. */
function scoreMeanings(similarities: readonly number[]): readonly number[] {
  const meanOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
  const mean = meanOf(similarities);
  const deviation = Math.sqrt(meanOf(similarities.map((one) => (one - mean) ** 2)));
  return similarities.map((one) => Math.max(0, one - mean - outstanding * deviation));
}

/** The number of the question's dates on which each observation began to hold. */
function scoreDates(found: readonly StoredObservation[], question: string): readonly number[] {
  const dates = [...datesOf(question)];
  return found.map(({ data }) => dates.filter((date) => data.since?.includes(date) ?? false).length);
}

/**
 * Adds a share of the scores of the observations that were written just before and after from the same source: what belongs together is written together. A long
 * text has context of its own and takes less of theirs.
 */
function addNeighbours(
  found: readonly StoredObservation[],
  { scores, lengths }: { readonly scores: readonly number[]; readonly lengths: readonly number[] },
): readonly number[] {
  const byGeneration = new Map(found.map(({ generation }, at) => [generation, at]));
  return found.map(({ generation, workspace, data: { source } }, at) => {
    let context = 0;
    for (let distance = 1; distance <= maxNeighbourDistance; distance += 1)
      for (const neighbour of [generation - distance, generation + distance]) {
        const place = byGeneration.get(neighbour);
        if (place === undefined || source === undefined) continue;
        if (found[place]?.workspace === workspace && found[place].data.source === source)
          context += (neighbourShare / distance) * (scores[place] ?? 0);
      }
    const isolation = selfContainedLength / (selfContainedLength + (lengths[at] ?? 0));
    return (scores[at] ?? 0) + isolation * context;
  });
}

/** From 0 to 1: the order of writing, and the age. */
function scoreRecency(found: readonly StoredObservation[], now: number): readonly number[] {
  const newest = Math.max(...found.map(({ generation }) => generation));
  const oldest = Math.min(...found.map(({ generation }) => generation));
  return found.map(({ generation, data }) => {
    const order = newest === oldest ? 1 : (generation - oldest) / (newest - oldest);
    const age = Math.max(0, now - Date.parse(data.since ?? "")) / dayMs;
    return 0.5 * order + 0.5 * 2 ** (-age / halfLifeDays);
  });
}
/** How many of the best observations are compared in pairs. */
const maxCompared = 12;

/** Puts the newer of two similar statements about the same entities first: it is the current one. */
function newerFirst(ranked: readonly StoredObservation[]): readonly StoredObservation[] {
  const top = ranked.slice(0, maxCompared);
  const statements = new Map<StoredObservation, Statement>();
  const statement = (one: StoredObservation) => {
    const made = statements.get(one) ?? statementOf(one.data.text, one.data.about ?? []);
    statements.set(one, made);
    return made;
  };
  const isOutdated = (one: StoredObservation, by: StoredObservation) =>
    by.generation >= one.generation &&
    one.data.about !== undefined &&
    String(one.data.about) === String(by.data.about) &&
    isAlike(statement(one), statement(by));
  for (const at of top.keys()) {
    for (let later = at + 1; later < top.length; later += 1) {
      const [one, other] = [top[at], top[later]];
      if (one !== undefined && other !== undefined && isOutdated(one, other)) [top[at], top[later]] = [other, one];
    }
  }
  return [...top, ...ranked.slice(maxCompared)];
}
