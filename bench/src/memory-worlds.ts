// `node bench/src/memory-worlds.ts [--words] [--minilm] [--postgres]`: how often `memory_recall` finds the fact that answers a question in other words, and says
// "not known" of what was never said; by the table of word vectors, by words alone, or by the model. Sources are used: `--conditions=@toolpacks/source`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqlite } from "@toolpacks/store-sqlite";
import { recallOfWorlds } from "../../packages/packs/memory/src/worlds.fixture.ts";

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
let stores = 0;
const open = () => sqlite(path.join(folder, `${(stores += 1)}.db`));
const percent = (share: number) => (100 * share).toFixed(1);
for (const among of ["its facts", "all facts"] as const) {
  const recall = await recallOfWorlds(open, { among, meaning: process.argv.includes("--words") ? { table: false } : {} });
  process.stdout.write(`among ${among}, in %\n`);
  console.table(
    Object.entries(recall).map(([questions, { first, firstFive, notKnown }]) => ({
      questions,
      "recall@1": percent(first),
      "recall@5": percent(firstFive),
      "not known": percent(notKnown),
    })),
  );
}
rmSync(folder, { recursive: true });
