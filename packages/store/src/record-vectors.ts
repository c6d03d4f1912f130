import { withTimeout, type Query, type RecordData } from "@toolpacks/core";
import type { DriverAccess } from "./driver-access.ts";
import type { NewRow, QueryPlan, StoreDriver } from "./driver.ts";
import { createVectorFiller, type FilledSet } from "./fill-vectors.ts";
import type { CompiledKind } from "./kind-layout.ts";
import { embedSigns, meaningText, type TextEmbedder } from "./text-embedder.ts";

/** The vectors of records, of kinds with `meaning`. An embedder that fails is as good as absent, and its vectors are made later. */
export interface RecordVectors {
  /** Adds the kind's sets of vectors, once. Never rejects. */
  use(kind: CompiledKind, access: DriverAccess): Promise<void>;
  /** The vector of a record that is written, in each set. */
  ofRecord(kind: CompiledKind, data: RecordData, before: RecordData | undefined): Promise<NewRow["vectorOf"]>;
  /** Makes what a write has left missing, in the background. */
  fill(kind: CompiledKind): Promise<void>;
  /** The vector of a query for any word. Undefined if the query goes by words alone. Never rejects. */
  ofQuery(kind: CompiledKind, query: Query, access: DriverAccess): Promise<QueryPlan["near"]>;
}

interface RecordVectorsOptions {
  readonly loaders: readonly (() => Promise<TextEmbedder>)[];
  readonly open: () => Promise<StoreDriver>;
  readonly beforeEnd: (work: () => Promise<void>) => unknown;
}

export function createRecordVectors({ loaders, open, beforeEnd }: RecordVectorsOptions): RecordVectors {
  const filler = createVectorFiller(open);
  beforeEnd(filler.end);
  const load = loaders.map(loadOnce);
  /** The sets of a kind, by the best embedder first. */
  const setsOf = async (kind: CompiledKind): Promise<readonly FilledSet[]> => {
    const { meaning } = kind.kind;
    const embedders = meaning.length === 0 ? [] : await Promise.all(load.map((one) => one()));
    return embedders.flatMap((embedder) =>
      embedder === undefined ? [] : [{ kind, embedder, name: `${embedder.name}${suffixOf(kind)}` }],
    );
  };
  const use = async (kind: CompiledKind, { read, write, addedSets }: DriverAccess) => {
    const { layout } = kind;
    const names = (await setsOf(kind)).map(({ name }) => name);
    const isNew = (name: string) => !addedSets.has(`${layout.name} ${name}`);
    if (!names.some(isNew)) return;
    try {
      const sets = await read((reader) => reader.vectorSets(layout));
      if (names.some((name) => !sets.some((set) => set.name === name)))
        await write(async (transaction) => transaction.addVectorSets(layout, names), false);
      for (const name of names) addedSets.add(`${layout.name} ${name}`);
    } catch {
      // The store may be read-only, or of a version without vectors. The call itself reports another problem.
    }
  };
  return {
    use,
    async ofRecord(kind, data, before) {
      const { meaning } = kind.kind;
      if (meaning.length === 0) return undefined;
      const text = meaningText(data, meaning);
      if (before !== undefined && text === meaningText(before, meaning))
        return (name) => (name.endsWith(suffixOf(kind)) ? "kept" : "missing");
      const made = new Map<string, Uint8Array | "none">();
      for (const { embedder, name } of await setsOf(kind)) {
        const [signs] = embedder.isSlow === true ? [] : await embedSigns(embedder, [text]).catch(() => []);
        if (signs !== undefined) made.set(name, signs);
      }
      return (name) => made.get(name) ?? "missing";
    },
    async fill(kind) {
      for (const set of await setsOf(kind)) if (set.embedder.isSlow === true) filler.start(set);
    },
    async ofQuery(kind, query, access) {
      const wanted = await setsOf(kind);
      if (wanted.length === 0) return undefined;
      await use(kind, access);
      try {
        const sets = await access.read((reader) => reader.vectorSets(kind.layout));
        const stored = wanted.map((one) => ({ ...one, set: sets.find(({ name }) => name === one.name) }));
        for (const one of stored) if (one.set?.missing !== undefined) filler.start(one);
        for (const { embedder, set } of stored) {
          if (set === undefined || (set.missing ?? Infinity) < completeShare * set.newest + 1) continue;
          const [signs] = await embedInTime(embedder, query.near ?? query.text ?? "");
          if (signs === "none") return undefined;
          if (signs !== undefined) return { set: set.number, signs };
        }
      } catch {
        // As in `use`.
      }
      return undefined;
    },
  };
}

/** Maximum time that a query waits for its vector. A thread that embeds may not keep the process alive, and the wait does. */
const maxWaitMs = 3_000;

/** The vector of a query; none if the embedder fails or takes too long. */
async function embedInTime(embedder: TextEmbedder, text: string) {
  const signs = embedSigns(embedder, [text]).catch(() => []);
  return withTimeout(signs, { ms: maxWaitMs, onTimeout: () => [] });
}

/** From this share of the ages on, a set without its newest vectors is used. */
const completeShare = 0.9;

/** The end of the names of the sets of a kind: the fields. */
function suffixOf({ kind }: CompiledKind): string {
  return `/${kind.meaning.join(",")}`;
}

/** Loads an embedder at the first use, and again after it has failed. */
function loadOnce(load: () => Promise<TextEmbedder>): () => Promise<TextEmbedder | undefined> {
  let loading: Promise<TextEmbedder | undefined> | undefined;
  return async () => {
    loading ??= load().catch(() => (loading = undefined));
    return loading;
  };
}
