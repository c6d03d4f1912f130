import type { Searchable } from "@toolpacks/surface/search";
import { randomNumbers } from "./random-numbers.ts";

const verbs = ["list", "get", "create", "update", "delete", "search", "export", "archive", "assign", "merge"];

const nouns =
  `invoice customer branch message ticket calendar_event repository deployment order shipment contact campaign
  document folder page comment review release pipeline workflow build container cluster database table row column
  dashboard chart report alert incident metric log trace user team role permission token secret certificate domain
  subscription payment refund product price discount cart warehouse supplier employee candidate interview contract`
    .trim()
    .split(/\s+/);

const adjectives = [
  "open",
  "archived",
  "recent",
  "shared",
  "private",
  "pending",
  "failed",
  "draft",
  "weekly",
  "pinned",
];

/** Tools of the shape that real servers have: about 450 characters of JSON each, on servers of 25. */
export function generateTools(count: number): readonly Searchable[] {
  const random = randomNumbers(count);
  const pick = (all: readonly string[]) => all[random(all.length)] ?? "";
  return Array.from({ length: count }, (_, at) => {
    const [verb, noun, about] = [pick(verbs), pick(nouns), pick(nouns)];
    const thing = noun.replace("_", " ");
    return {
      name: `${verb}_${noun}_${at}`,
      pack: `${pick(nouns)}_server_${Math.floor(at / 25)}`,
      description: `${verb} a ${pick(adjectives)} ${thing} by its ${about.replace("_", " ")}. Answers the ${thing}'s state, who changed it last, and links to each ${pick(nouns)} that belongs to it.`,
      inputSchema: {
        type: "object",
        properties: {
          [`${noun}_id`]: { type: "string", description: `which ${thing}` },
          [`${about}_name`]: { type: "string", description: `only with this ${about.replace("_", " ")}` },
          state: { type: "string", enum: ["open", "closed", "all"], description: "only those in this state" },
          limit: { type: "integer", description: "how many at most" },
        },
        required: [`${noun}_id`],
      },
    };
  });
}

/** Sentences such as people would say of generated tools. */
export function generateSentences(count: number): readonly string[] {
  const random = randomNumbers(count);
  const pick = (all: readonly string[]) => all[random(all.length)] ?? "";
  const noun = () => pick(nouns).replace("_", " ");
  return Array.from({ length: count }, () =>
    pick([
      `please ${pick(verbs)} the ${pick(adjectives)} ${noun()} of our ${noun()}`,
      `${pick(verbs)} ${noun()}`,
      `which ${noun()}s are ${pick(adjectives)} since last week, and who changed them?`,
      `I need the ${noun()} named Qxyzzy${random(1_000)} in the ${noun()}`,
    ]),
  );
}
