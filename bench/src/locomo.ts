// `node bench/src/locomo.ts <folder> [--postgres]`: how often `memory_recall` finds the evidence of LoCoMo's questions, beside plain BM25; after a
// build. The folder has `locomo10.json` (snap-research/locomo, CC BY-NC) and may have `errors.json` (dial481/locomo-audit).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, type OwnedStore } from "@toolpacks/core";
import { textWords } from "@toolpacks/store";
import { memory, observation } from "@toolpacks/memory";
import { postgres } from "@toolpacks/store-postgres";
import { startPostgres } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { percentile } from "./connection.ts";
import { readConversations, type Conversation, type Passage, type Question } from "./locomo-conversations.ts";
import { bm25 } from "./tool-search/bm25.ts";

const shown = 10;
const categories = ["", "several turns", "time", "general knowledge", "one turn", "no answer"];
const units = ["session", "turn"] as const;
type Unit = (typeof units)[number];

interface Answer {
  readonly ids: readonly string[];
  readonly isNotKnown: boolean;
}
type Ask = (question: string) => Promise<Answer>;

interface Score {
  readonly half: "even" | "odd";
  readonly unit: Unit;
  readonly category: number;
  readonly plain: number;
  readonly recalled: number;
  readonly corrected: number;
}

/** A question and whether the answer was "nothing relevant is known". */
interface Verdict {
  readonly half: Score["half"];
  readonly asked: "answered" | "category without an answer" | "another conversation's";
  readonly isNotKnown: boolean;
}

const folder = process.argv.slice(2).find((arg) => !arg.startsWith("--")) ?? process.env["LOCOMO"] ?? "";
const data = readConversations(folder);
if (data === undefined) {
  process.stdout.write(`skipped: no locomo10.json in ${JSON.stringify(folder)}; give its folder as an argument\n`);
  process.exit(0);
}
const { conversations, isCorrected } = data;
const temporary = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const database = process.argv.includes("--postgres") ? await startPostgres() : undefined;
const store: OwnedStore =
  database === undefined ? sqlite(path.join(temporary, "store.db")) : postgres(database.address);
const scores: Score[] = [];
const verdicts: Verdict[] = [];
const times: Record<Unit, number[]> = { session: [], turn: [] };
for (const [at, conversation] of conversations.entries()) await measure(conversation, at);
report();
await store.end();
await database?.remove();
rmSync(temporary, { recursive: true });

async function measure(conversation: Conversation, at: number): Promise<void> {
  const half = at % 2 === 0 ? "even" : "odd";
  for (const unit of units) {
    const passages = unit === "turn" ? conversation.turns : conversation.sessions;
    const [plain, recall] = [plainBm25(passages), await remember(`${conversation.name}-${unit}`, passages)];
    for (const question of conversation.questions) {
      if (question.evidence.length === 0) continue;
      const start = performance.now();
      const { ids, isNotKnown } = await recall(question.text);
      times[unit].push(performance.now() - start);
      const found = (evidence: Question["evidence"], among: readonly string[]) => share(evidence, among, unit);
      scores.push({
        half,
        unit,
        category: question.category,
        plain: found(question.evidence, (await plain(question.text)).ids),
        recalled: found(question.evidence, ids),
        corrected: found(question.corrected, ids),
      });
      const asked = question.category === 5 ? "category without an answer" : "answered";
      if (unit === "turn") verdicts.push({ half, asked, isNotKnown });
    }
    const other = conversations[(at + 1) % conversations.length];
    for (const { text } of unit === "turn" ? (other?.questions ?? []) : [])
      verdicts.push({ half, asked: "another conversation's", isNotKnown: (await recall(text)).isNotKnown });
  }
}

/** The memory pack in a workspace of its own, with the passages as observations. */
async function remember(workspace: string, passages: readonly Passage[]): Promise<Ask> {
  const inside = store.in(workspace);
  await inside.transaction(async (open) => {
    for (const { id, text, about, since, source } of passages)
      await open.put(observation, { text, about: [...about], since, source }, { id });
  });
  const dispatcher = createDispatcher(createCatalog({ packs: [memory({ store: inside })] }));
  return async (query) => {
    const outcome = await dispatcher.dispatch({ name: "memory_recall", args: { query, limit: shown } });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
    const { items, hint } = outcome.value as { items: readonly { id: string }[]; hint?: string };
    return { ids: items.map(({ id }) => id), isNotKnown: hint?.startsWith("Nothing") ?? false };
  };
}

/** BM25 with stems and the usual constants, over the same texts with their speakers. */
function plainBm25(passages: readonly Passage[]): Ask {
  const rank = bm25(
    passages.map(({ text, about }) => textWords(`${text} ${about.join(" ")}`)),
    1.2,
  );
  return async (question) => ({
    ids: rank(textWords(question))
      .slice(0, shown)
      .map((at) => passages[at]?.id ?? ""),
    isNotKnown: false,
  });
}

/** The share of a question's evidence that was found. */
function share(evidence: Question["evidence"], ids: readonly string[], unit: Unit): number {
  const wanted = new Set(unit === "turn" ? evidence : evidence.map((id) => id.split(":")[0] ?? id));
  return [...wanted].filter((id) => ids.includes(id)).length / wanted.size;
}

function report(): void {
  const mean = (values: readonly number[]) =>
    values.length === 0 ? "" : ((100 * values.reduce((sum, one) => sum + one, 0)) / values.length).toFixed(1);
  const row = (unit: Unit, questions: string, some: readonly Score[]) => ({
    unit,
    questions,
    count: some.length,
    "plain BM25": mean(some.map(({ plain }) => plain)),
    memory_recall: mean(some.map(({ recalled }) => recalled)),
    ...(isCorrected && { "memory_recall, corrected key": mean(some.map(({ corrected }) => corrected)) }),
  });
  process.stdout.write(`evidence found in the first ${shown}, in %\n`);
  console.table(
    units.flatMap((unit) => {
      const some = scores.filter((score) => score.unit === unit);
      return [
        row(unit, "all", some),
        ...(["even", "odd"] as const).map((half) =>
          row(
            unit,
            half,
            some.filter((score) => score.half === half),
          ),
        ),
        ...[1, 2, 3, 4, 5].map((category) =>
          row(
            unit,
            categories[category] ?? "",
            some.filter((score) => score.category === category),
          ),
        ),
      ];
    }),
  );
  process.stdout.write('"nothing relevant is known", by turn, in %\n');
  console.table((["even", "odd"] as const).flatMap((half) => notKnown(half)));
  const ms = (unit: Unit) => `${unit} ${percentile(times[unit], 0.5).toFixed(1)} ms`;
  process.stdout.write(`p50 of a call: ${units.map(ms).join(", ")}\n`);
}

/** Precision and recall of "not known", against the questions with an answer. */
function notKnown(half: Score["half"]): readonly object[] {
  const told = (asked: Verdict["asked"]) => {
    const some = verdicts.filter((one) => one.half === half && one.asked === asked);
    return { said: some.filter(({ isNotKnown }) => isNotKnown).length, count: some.length };
  };
  const wrong = told("answered");
  return (["category without an answer", "another conversation's"] as const).map((asked) => {
    const { said, count } = told(asked);
    return {
      half,
      asked,
      precision: ((100 * said) / Math.max(1, said + wrong.said)).toFixed(1),
      recall: ((100 * said) / count).toFixed(1),
      "said of answered questions": ((100 * wrong.said) / wrong.count).toFixed(1),
    };
  });
}
