import { deeds, people, questions as lifeQuestions, remarks, talk } from "./life-words.ts";
import { createRandom } from "./random.ts";
import { actions, circumstances, objects, questions, requests } from "./tool-words.ts";

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

function distinct(count: number, make: () => string): readonly string[] {
  const texts = new Set<string>();
  while (texts.size < count) texts.add(make());
  return [...texts];
}
