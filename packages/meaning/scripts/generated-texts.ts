import { deeds, people, questions as lifeQuestions, remarks, talk } from "./life-words.ts";
import { commonWords } from "./common-words.ts";
import { createRandom } from "./random.ts";
import { actions, circumstances, objects, openings, questions, requests } from "./tool-words.ts";

/** Generates sentences about tools, as users and descriptions word them. The same number gives the same sentences. */
export function toolTexts(count: number): readonly string[] {
  const { pick, chance } = createRandom(1);
  return distinct(count, () => {
    const object = pick(objects);
    const circumstance = chance(0.6) ? ` ${pick(circumstances)}` : "";
    if (chance(0.25)) return pick(questions).replace("{what}", object) + circumstance;
    return pick(requests).replace("{do}", `${pick(actions)} ${object}`) + circumstance;
  });
}

/** Generates turns of everyday dialogue, and questions about them. The same number gives the same turns. */
export function dialogueTexts(count: number): readonly string[] {
  const { pick, chance } = createRandom(2);
  return distinct(count, () => {
    const who = pick(people);
    const did = pick(deeds);
    if (chance(0.25)) return pick(lifeQuestions).replace("{who}", who).replace("{did}", did);
    const remark = chance(0.7) ? ` ${pick(remarks)}` : "";
    const speaker = chance(0.3) ? `${pick(people)}: ` : "";
    const before = chance(0.25) ? `${pick(talk)}, ` : "";
    return `${speaker}${before}${chance(0.4) ? "I" : who} ${did}${remark}`;
  });
}

/** Number of the most used words that say nothing about a request. */
const emptyWords = 300;

/** Generates requests of one or two sentences with common words in them, so that words learn how much they weigh beside others. */
export function requestTexts(count: number): readonly string[] {
  const { pick, chance } = createRandom(7);
  const words = commonWords().slice(emptyWords);
  return distinct(count, () => {
    const first = `${pick(openings)} ${pick(actions)} ${chance(0.5) ? pick(objects) : `${pick(words)} ${pick(words)}`}`;
    return chance(0.4)
      ? `${first}. ${pick(openings)} ${pick(actions)} ${pick(objects)} ${pick(words)}`
      : `${first} ${chance(0.5) ? pick(circumstances) : pick(words)}`;
  });
}

function distinct(count: number, make: () => string): readonly string[] {
  const texts = new Set<string>();
  while (texts.size < count) texts.add(make());
  return [...texts];
}
