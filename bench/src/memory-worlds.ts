// `node --conditions=@toolpacks/source bench/src/memory-worlds.ts [--words | --minilm]`: how often `memory_recall` finds the fact that answers a question in other
// words, and says of what was never said that it is not known: by the table of word vectors, by words alone, or by the model.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { minilm } from "@toolpacks/meaning-minilm";
import { sqlite, type SqliteOptions } from "@toolpacks/store-sqlite";
import { recallOfWorlds } from "../../packages/packs/memory/src/worlds.fixture.ts";

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const [words, withModel] = ["--words", "--minilm"].map((flag) => process.argv.includes(flag));
const model = minilm({ folder });
const options: SqliteOptions = {
  // Not in the background, so that each question is asked when all vectors are made.
  ...(withModel && { meaning: [async () => ({ ...model, isSlow: false })] }),
  ...(words && { meaning: [] }),
};
let stores = 0;
const open = () => sqlite(path.join(folder, `${(stores += 1)}.db`), options);
const percent = (share: number) => (100 * share).toFixed(1);
for (const among of ["its facts", "all facts"] as const) {
  const recall = await recallOfWorlds(open, among, { table: !words, ...(withModel && { model: () => model }) });
  process.stdout.write(`among ${among}, in %\n`);
  console.table(
    Object.entries(recall).map(([questions, { first, firstFive, notKnown, doubted }]) => ({
      questions,
      "recall@1": percent(first),
      "recall@5": percent(firstFive),
      "not known": percent(notKnown),
      "weak matches": percent(doubted),
    })),
  );
}
rmSync(folder, { recursive: true });
