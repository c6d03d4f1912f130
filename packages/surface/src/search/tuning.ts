import type { Field } from "./searchable.ts";

/** All tuned numbers of the search. They are tuned on public tool-search sets, and round because the optimum is flat. */
export const tuning = {
  /** Field weights. `details` are the descriptions of parameters. */
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
  /** Extra weight of a word as written. A stem counts 1, so the exact form wins among equals. */
  exactForm: 0.5,
  /** Two neighbouring words that are also neighbours, or one word, in a tool. */
  neighbours: 0.5,
  /** Another spelling or an abbreviation of the word. */
  spelling: 0.9,
  /** A synonym of the word. */
  synonym: 0.6,
  /** A known word in place of an unknown word that looks like a typo of it. */
  typo: 0.8,
  /** Words in quotation marks: mostly values for a call, not what the call does. */
  quoted: 0.5,
  /** A word after `by`: it says how things are chosen or sorted, not what the call is about. */
  attribute: 0.5,
  /** Gain of a tool when the query contains all of its name. */
  nameCoverage: 0.4,
  /** Weight of the similarity of meaning, in units of the rarity of the query's rarest words. */
  meaning: 1.75,
  /** Number of the query's rarest words that give meaning its weight. */
  meaningWords: 4,
  /** Weight of the generic calls for a kind of record whose pack has tools for it. A tool that matches as well is far ahead. */
  kindWithTools: 0.35,
  /** How much less a word counts for later hits when a better hit has matched it. */
  answered: 0.35,
  /** Scores below this share of the best score have fallen off. */
  fallOff: 0.6,
  /** The best hit is weak when it covers less than this share of the query, weighted by rarity. */
  weak: 0.2,
} as const;
