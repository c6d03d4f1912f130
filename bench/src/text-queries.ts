// `node bench/src/text-queries.ts [--postgres] [records …]`: queries by text over records of about 20 words, whose words are as frequent as in a
// language (Zipf), and how many of the ten best records by an exhaustive ranking they find; after a build.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineKind, type OwnedStore } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { startPostgres } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";
import { percentile } from "./connection.ts";
import { randomNumbers } from "./random-numbers.ts";
import { makeTexts, type Texts } from "./zipf-texts.ts";

const isPostgres = process.argv.includes("--postgres");
const given = process.argv.slice(2).filter((one) => !one.startsWith("--"));
const sizes = given.length > 0 ? given.map(Number) : [20_000, 200_000, 1_000_000];
const warmUp = 20;
const calls = 300;
/** Number of queries whose answers are compared with the exhaustive ranking. */
const compared = 60;
const shown = 10;

const note = defineKind({ name: "note", schema: z.object({ text: z.string() }), text: ["text"] });

async function fill(store: OwnedStore, texts: Texts): Promise<void> {
  const batch = 5_000;
  for (let from = 0; from < texts.count; from += batch) {
    await store.transaction(async (inside) => {
      for (let at = from; at < Math.min(texts.count, from + batch); at += 1)
        await inside.put(note, { text: texts.text(at) }, { id: `n${at}` });
    });
    if (from % 100_000 === 0) process.stderr.write(`${from} of ${texts.count}\r`);
  }
}

/** The words of each query, by their numbers. */
const queries: Readonly<Record<string, (texts: Texts, random: (below: number) => number) => readonly number[]>> = {
  "a sentence: 5 words of a record, 4 of the language": (texts, random) => {
    const own = texts.words(random(texts.count));
    return [...Array.from({ length: 5 }, () => own[random(own.length)] ?? 0), ...texts.drawn(4, random)];
  },
  "three words of the language": (texts, random) => texts.drawn(3, random),
  "a rare word beside one of the five most common": (_texts, random) => [3_000 + random(50_000), random(5)],
};

async function measure(store: OwnedStore, texts: Texts) {
  const rows = [];
  for (const [what, make] of Object.entries(queries)) {
    for (const match of ["any", "all"] as const) {
      const random = randomNumbers(3);
      const ask = async (words: readonly number[]) =>
        store.query(note, { text: words.map((word) => `w${word}`).join(" "), match, limit: shown });
      const times: number[] = [];
      const answers: { readonly words: readonly number[]; readonly found: readonly number[] }[] = [];
      for (let call = 0; call < warmUp + calls; call += 1) {
        const words = [...new Set(make(texts, random))];
        const start = performance.now();
        const { items } = await ask(words);
        if (call >= warmUp) times.push(performance.now() - start);
        answers.push({ words, found: items.map(({ id }) => Number(id.slice(1))) });
      }
      // Apart from the measured calls, because it leaves much garbage.
      const shares = (match === "any" ? answers.slice(0, compared) : []).map(({ words, found }) =>
        texts.bestBy(isPostgres ? "logarithm" : "bm25", words, shown).shareOf(found),
      );
      const mean = shares.reduce((sum, one) => sum + one, 0) / shares.length;
      const recall = match === "any" ? (100 * mean).toFixed(1) : "";
      const ms = (share: number) => percentile(times, share).toFixed(1);
      rows.push({
        records: texts.count,
        what,
        match,
        "p50 ms": ms(0.5),
        "p99 ms": ms(0.99),
        [`recall@${shown} %`]: recall,
      });
    }
  }
  return rows;
}

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const server = isPostgres ? await startPostgres() : undefined;
try {
  for (const size of sizes) {
    const texts = makeTexts(size);
    const store =
      server === undefined
        ? sqlite(path.join(folder, `${size}.db`))
        : postgres(server.address, { schema: `bench_${size}` });
    const start = performance.now();
    await fill(store, texts);
    process.stdout.write(`${size} records: filled in ${((performance.now() - start) / 1_000).toFixed(0)} s\n`);
    console.table(await measure(store, texts));
    await store.end();
  }
} finally {
  await server?.remove();
  rmSync(folder, { recursive: true });
}
