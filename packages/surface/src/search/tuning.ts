import type { Field } from "./searchable.ts";

/**
 * Every number that was tuned, on one half of public tool-search sets and checked on the other. They are round because the
 * optimum is flat: changed by a third, none moves the mean recall by more than half a point.
 */
export const tuning = {
  /** Fields count by how deliberately an author chose their words. `details` are the descriptions of parameters. */
  weights: {
    name: 2,
    pack: 1.5,
    keywords: 2,
    parameters: 1,
    lead: 1.5,
    description: 0.7,
    details: 1,
  } satisfies Record<Field, number>,
  /** BM25's k1: how soon repetition saturates. */
  saturation: 1,
  /** BM25's b: how much a long field is discounted. */
  lengthDiscount: 0.5,
  /** A stem counts 1. The word as it was written adds this, so that the exact form wins among equals. */
  exactForm: 0.5,
  /** Two neighbouring words that are neighbours, or one word, in a tool. */
  neighbours: 0.5,
  /** Another spelling, or an abbreviation, in place of the word itself. */
  spelling: 0.9,
  /** A word of the same synonym family, in place of the word itself. */
  synonym: 0.6,
  /** A known word in place of an unknown one that looks like a slip of it. */
  typo: 0.8,
  /** What is said in quotation marks: mostly values for a call, not what the call does. */
  quoted: 0.5,
  /** What a tool gains when the query says all of its name. */
  nameCoverage: 0.4,
  /** What the tools of a pack gain whose distinctive name the query says. */
  packMention: 0.3,
  /** How much less a word counts for the next hit once a better hit has answered it. */
  answered: 0.3,
  /** Below this share of the best score, scores have fallen off. */
  fallOff: 0.55,
  /** The best hit is weak when it accounts for less than this share of the query's rarity. */
  weak: 0.2,
} as const;
