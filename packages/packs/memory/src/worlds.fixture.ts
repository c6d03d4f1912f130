import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createCatalog, createDispatcher, type OwnedStore } from "@toolpacks/core";
import type { TextComparerOptions } from "@toolpacks/meaning";
import { observation } from "./knowledge/observation.ts";
import { memory } from "./memory.ts";

/** A small world: facts, and questions of three sorts. The number beside a question is the place of the only fact that answers it. */
export interface World {
  readonly world: string;
  readonly facts: readonly string[];
  /** Questions that share no content word with their fact. */
  readonly otherWords: readonly (readonly [question: string, fact: number])[];
  /** Questions that share some. */
  readonly sharedWords: readonly (readonly [question: string, fact: number])[];
  /** Questions that no fact answers. */
  readonly neverSaid: readonly string[];
}

const folder = path.join(import.meta.dirname, "../worlds");

export const worlds: readonly World[] = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as World,
);

/** The share of questions whose fact came first, and that of those whose fact was among the first five. */
export interface Recall {
  readonly first: number;
  readonly firstFive: number;
  /** The share that was answered with "nothing relevant is known". */
  readonly notKnown: number;
  /** The share that was answered with "only weak matches". */
  readonly doubted: number;
}

export type Sort = "otherWords" | "sharedWords" | "neverSaid";

/** Asks the questions of each world, over the facts of that world or of all. @param open opens an empty store */
export async function recallOfWorlds(
  open: () => OwnedStore,
  among: "its facts" | "all facts",
  meaning?: TextComparerOptions,
): Promise<Readonly<Record<Sort, Recall>>> {
  const counts = { otherWords: newCount(), sharedWords: newCount(), neverSaid: newCount() };
  const ask = async (store: OwnedStore, some: readonly World[]) => {
    const dispatcher = createDispatcher(createCatalog({ packs: [memory({ store, meaning })] }));
    for (const { world, otherWords, sharedWords, neverSaid } of some) {
      const all = { otherWords, sharedWords, neverSaid: neverSaid.map((question) => [question, -1] as const) };
      for (const sort of ["otherWords", "sharedWords", "neverSaid"] as const)
        for (const [query, fact] of all[sort]) {
          const outcome = await dispatcher.dispatch({ name: "memory_recall", args: { query } });
          if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
          const { items, hint } = outcome.value as { items: readonly { id: string }[]; hint?: string };
          const place = items.findIndex(({ id }) => id === idOf(world, fact));
          const count = counts[sort];
          count.asked += 1;
          if (place === 0) count.first += 1;
          if (place >= 0) count.firstFive += 1;
          if (hint?.startsWith("Nothing") === true) count.notKnown += 1;
          if (hint?.startsWith("Only") === true) count.doubted += 1;
        }
    }
    await store.end();
  };
  if (among === "all facts") await ask(await fill(open(), worlds), worlds);
  else for (const world of worlds) await ask(await fill(open(), [world]), [world]);
  return {
    otherWords: share(counts.otherWords),
    sharedWords: share(counts.sharedWords),
    neverSaid: share(counts.neverSaid),
  };
}

const newCount = () => ({ asked: 0, first: 0, firstFive: 0, notKnown: 0, doubted: 0 });

function share({ asked, ...counts }: ReturnType<typeof newCount>): Recall {
  const { first, firstFive, notKnown, doubted } = counts;
  return { first: first / asked, firstFive: firstFive / asked, notKnown: notKnown / asked, doubted: doubted / asked };
}

async function fill(store: OwnedStore, some: readonly World[]): Promise<OwnedStore> {
  await store.transaction(async (inside) => {
    for (const { world, facts } of some)
      for (const [at, text] of facts.entries()) await inside.put(observation, { text }, { id: idOf(world, at) });
  });
  return store;
}

const idOf = (world: string, fact: number) => `${world} ${fact}`;
