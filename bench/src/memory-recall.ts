// `node bench/src/memory-recall.ts`: how often the right fact is in the first five lines, compared with the official memory server; after a build.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeFacts } from "./memory-facts.ts";
import { officialServer, packServer, type MemoryServer } from "./memory-servers.ts";

const shown = 5;
const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const { facts, asides } = makeFacts();
const questions = facts.flatMap((fact) => fact.questions.map((question) => ({ fact, question })));
process.stdout.write(
  `${facts.length} facts, ${facts.filter(({ before }) => before !== undefined).length} of which replaced another, and ${asides.length} asides; ${questions.length} questions\n`,
);

/** Older facts are stored first. Every other replacement names the fact that it supersedes. */
async function fill(server: MemoryServer): Promise<void> {
  for (const about of new Set(facts.map((fact) => fact.about))) {
    await server.create({ name: about, entityType: "subject", observations: [] });
  }
  const replaced = new Map<string, string | undefined>();
  for (const { about, before } of facts)
    if (before !== undefined) replaced.set(before, await server.observe(about, before));
  for (const [at, { about, text, before }] of facts.entries()) {
    const aside = asides[at];
    if (aside !== undefined) await server.observe(aside.about, aside.text);
    await server.observe(about, text, before !== undefined && at % 2 === 0 ? replaced.get(before) : undefined);
  }
}

interface Score {
  readonly recall: number;
  /** Share of replacements that are found and rank above the fact that they replaced. */
  readonly current: number;
  /** Lines that an answer has, on the average. */
  readonly read: number;
}

async function score(server: MemoryServer, ask: (question: string, about: string) => string): Promise<Score> {
  let found = 0;
  let replaced = 0;
  let current = 0;
  let read = 0;
  for (const { fact, question } of questions) {
    const answer = await server.search(ask(question, fact.about));
    read += answer.length;
    const lines = answer.slice(0, shown);
    const place = lines.indexOf(fact.text);
    if (place >= 0) found += 1;
    else if (process.argv.includes("--missed"))
      process.stdout.write(`${question} | ${fact.text} | ${lines.join(" / ")}\n`);
    if (fact.before === undefined) continue;
    replaced += 1;
    const outdated = lines.indexOf(fact.before);
    if (place >= 0 && (outdated < 0 || place < outdated)) current += 1;
  }
  return { recall: found / questions.length, current: current / replaced, read: read / questions.length };
}

const official = await officialServer(path.join(folder, "memory.jsonl"));
const pack = await packServer(path.join(folder, "store.db"));
await fill(official);
await fill(pack);
const asked = (question: string) => question;
const rows = [
  ["official memory server, the question", await score(official, asked)],
  ["official memory server, the name alone", await score(official, (_question, about) => about)],
  ["toolpacks memory, the question", await score(pack, asked)],
  ["toolpacks memory, the name alone", await score(pack, (_question, about) => about)],
] as const;
await Promise.all([official.close(), pack.close()]);
rmSync(folder, { recursive: true });
console.table(
  rows.map(([asking, { recall, current, read }]) => ({
    asking,
    [`recall@${shown}`]: recall.toFixed(3),
    "replaced ones current": current.toFixed(3),
    "lines per answer": read.toFixed(1),
  })),
);
