import { createHash } from "node:crypto";

const subjects = ["The committee", "A visitor", "The northern team", "Our workshop", "The archive", "A neighbour"];
const verbs = ["considered", "described", "measured", "postponed", "repaired", "compared", "questioned", "welcomed"];
const objects = [
  "the old bridge",
  "a new timetable",
  "the garden plans",
  "every invoice",
  "the lighting",
  "three maps",
];
const endings = ["before the rain", "with some care", "for a second time", "without a word", "in good company"];

/** The facts that a page or talk states, by name. */
const facts: readonly (readonly [name: string, value: (draw: Draw) => string])[] = [
  ["number of seats", (draw) => String(120 + draw(700))],
  ["opening hour", (draw) => `${7 + draw(4)}:${draw(6)}0`],
  ["yearly budget", (draw) => `${20 + draw(70)},${100 + draw(900)} euros`],
  ["name of the caretaker", (draw) => pick(["Ilse Brandt", "Omar Haddad", "Wen Li", "Rosa Lind"], draw)],
  ["length of the tunnel", (draw) => `${200 + draw(900)} metres`],
];

type Draw = (below: number) => number;

/**
 * Writes `count` sentences, and among them each fact once: "The number of seats is 412." They depend only on the seed, so that a case can ask for the
 * facts.
 */
export function writeProse(seed: string, count: number): readonly string[] {
  const draw = drawFrom(seed);
  const sentences = Array.from(
    { length: count },
    () => `${pick(subjects, draw)} ${pick(verbs, draw)} ${pick(objects, draw)} ${pick(endings, draw)}.`,
  );
  for (const [name, value] of facts) {
    sentences.splice(draw(sentences.length), 0, `The ${name} is ${value(draw)}.`);
  }
  return sentences;
}

/** Finds the facts of `writeProse` in a text. */
export function statedFacts(text: string): ReadonlyMap<string, string> {
  const stated = [...text.matchAll(/\bThe ([a-z ]{3,40}) is ([^.\n]{1,60})\./g)];
  return new Map(stated.map(([, name = "", value = ""]) => [name, value]));
}

/** A pseudorandom generator: mulberry32, initialized with the seed's hash. */
function drawFrom(seed: string): Draw {
  let state = createHash("sha256").update(seed).digest().readUInt32LE();
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function pick(from: readonly string[], draw: Draw): string {
  return from[draw(from.length)] ?? "";
}
