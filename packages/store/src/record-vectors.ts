import { withTimeout, type Query, type RecordData } from "@toolpacks/core";
import type { NewRow, NewVector, QueryPlan, StoreDriver, VectorSet } from "./driver.ts";
import { createVectorFiller, type FilledSet } from "./fill-vectors.ts";
import type { CompiledKind } from "./kind-layout.ts";
import { embedSigns, meaningText, type TextEmbedder } from "./text-embedder.ts";

/** A set of vectors is used if only the records from this share of the ages on may lack theirs. */
const completeShare = 0.9;

/** Maximum time that a query waits for its vector. */
const maxWaitMs = 3_000;

/** The lowest similarity of a record that is found by its meaning alone, unless a query names one. */
const defaultSimilarity = 0.05;

export type RecordVectors = ReturnType<typeof createRecordVectors>;

/** The vectors of records, of kinds with `meaning`. An embedder that fails counts as absent, and its vectors are made later. */
export function createRecordVectors(
  loaders: readonly (() => Promise<TextEmbedder>)[],
  open: () => Promise<StoreDriver>,
) {
  const filler = createVectorFiller(open);
  const load = loaders.map(loadOnce);
  /** The sets of a kind, the one of the best embedder first. */
  const setsOf = async (kind: CompiledKind): Promise<readonly FilledSet[]> => {
    const embedders = await Promise.all(load.map((one) => one()));
    const loaded = embedders.filter((embedder) => embedder !== undefined);
    const names = loaded.map(({ name }) => `${name}${suffixOf(kind)}`);
    return loaded.map((embedder, at) => ({ kind, embedder, names, name: names[at] ?? "" }));
  };
  return {
    /** The vectors of a record that is written. */
    async ofRecord(kind: CompiledKind, data: RecordData, before: RecordData | undefined): Promise<NewRow["vectors"]> {
      const { meaning } = kind.kind;
      const sets = await setsOf(kind);
      const names = sets.map(({ name }) => name);
      const text = meaningText(data, meaning);
      if (before !== undefined && text === meaningText(before, meaning))
        return { names, of: (set) => (set.endsWith(suffixOf(kind)) ? "kept" : "missing") };
      const made = new Map<string, NewVector | undefined>();
      for (const set of sets) {
        if (set.embedder.isSlow === true) filler.start(set);
        else made.set(set.name, (await embedSigns(set.embedder, [text]).catch(() => []))[0]);
      }
      return { names, of: (set) => made.get(set) ?? "missing" };
    },
    /** The vector of a query for any word. Undefined if the query goes by words alone. */
    async ofQuery(
      kind: CompiledKind,
      query: Query,
      readSets: () => Promise<readonly VectorSet[]>,
    ): Promise<QueryPlan["near"]> {
      const { minSimilarity = defaultSimilarity } = query;
      const wanted = await setsOf(kind);
      const stored = wanted.length === 0 ? [] : await readSets();
      for (const one of wanted) {
        const set = stored.find(({ name }) => name === one.name);
        if (set === undefined || set.missing !== undefined) filler.start(one);
        if (set === undefined || (set.missing ?? Infinity) < completeShare * set.newest + 1) continue;
        const [signs] = await embedInTime(one.embedder, query.near ?? query.text ?? "");
        if (signs !== undefined) return signs === "none" ? undefined : { set: set.number, signs, minSimilarity };
      }
      return undefined;
    },
    end: () => filler.end(),
  };
}

/** The vector of a query; none if the embedder fails or takes too long. */
async function embedInTime(embedder: TextEmbedder, text: string) {
  const signs = embedSigns(embedder, [text]).catch(() => []);
  return withTimeout(signs, { ms: maxWaitMs, onTimeout: () => [] });
}

/** The end of the names of a kind's sets: the fields. */
function suffixOf({ kind }: CompiledKind): string {
  return `/${kind.meaning.join(",")}`;
}

/** Loads an embedder at the first use, and again after it has failed. */
function loadOnce(load: () => Promise<TextEmbedder>): () => Promise<TextEmbedder | undefined> {
  let loading: Promise<TextEmbedder | undefined> | undefined;
  return async () => (loading ??= load().catch(() => (loading = undefined)));
}
