import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  createCatalog,
  createDispatcher,
  defineKind,
  definePack,
  defineTool,
  type OwnedStore,
  type Pack,
  type ToolContext,
  ToolError,
} from "@toolpacks/core";
import { filesystem } from "@toolpacks/filesystem";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";
import { createUndo } from "./create-undo.ts";
import type { KeptEntry } from "./entry.ts";
import { prune } from "./undo-log.ts";

export const note = defineKind({
  name: "note",
  schema: z.object({ text: z.string(), tags: z.array(z.string()).optional() }),
  indexes: ["tags"],
  text: ["text"],
});

/** A record whose parent must exist when it is written. */
export const child = defineKind({
  name: "child",
  schema: z.object({ parent: z.string() }),
  async rule({ operation, after, store }) {
    if (operation !== "delete" && (await store.get(note, after.parent)) === undefined)
      throw new ToolError("not_found", `parent: there is no note ${after.parent}`);
  },
});

const kinds = [note, child];
export const notes = definePack({ name: "notes", description: "Notes.", budget: 0, kinds, tools: () => [] });

/** Another tracker, whose calls only other calls take back. */
function tracker(open: Set<number>, hooks: Undoable["hooks"]) {
  const make = (name: string, run: (number: number) => unknown, inverse?: { tool: string; args: object }) =>
    defineTool({
      name,
      description: "Change an issue of the tracker.",
      mutates: true,
      effects: { ...(inverse && { inverse }) },
      input: z.object({ number: z.int().describe("its number") }),
      output: z.object({ number: z.int() }),
      handler: async ({ number }) => {
        await run(number);
        return { number };
      },
    });
  const close = { tool: "tracker_close", args: { number: "${result.number}" } };
  const tools = [
    make("tracker_open", (number) => open.add(number), close),
    make("tracker_close", async (number) => {
      await hooks.closing?.();
      open.delete(number);
    }),
  ];
  return definePack({ name: "tracker", description: "Issues.", budget: 500, tools: () => tools })();
}

export interface Undoable {
  /** The folder of the store and the lock. */
  readonly folder: string;
  readonly root: string;
  readonly store: OwnedStore;
  readonly pack: Pack;
  /** The open issues of the other tracker. */
  readonly issues: ReadonlySet<number>;
  /** `closing` runs while the other tracker closes an issue. */
  readonly hooks: { closing?: () => Promise<unknown> };
  readonly dispatcher: ReturnType<typeof createDispatcher>;
  /** Calls a tool. Returns its value. @throws Error with the failure */
  call(name: string, args: object, context?: Partial<ToolContext>): Promise<Readonly<Record<string, unknown>>>;
  text(name: string, args: object, context?: Partial<ToolContext>): Promise<string>;
  prune(): Promise<void>;
  entries(): Promise<readonly KeptEntry[]>;
  end(): Promise<void>;
}

/** Undo of the store and the files of a server, for other packs. */
export function undoOf({ store, folder, root }: Undoable) {
  const lockFile = path.join(folder, "lock");
  return createUndo({ store, local: store.local(), lockFile, roots: [root], onError: console.error });
}

/** Files and notes with undo, on a store. With the folder and roots of another one: a second server of it. */
export function undoable(openStore?: () => OwnedStore, more: Partial<Parameters<typeof createUndo>[0]> = {}): Undoable {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "undo-")));
  const root = more.roots?.[0] ?? realpathSync(mkdtempSync(path.join(folder, "root-")));
  const store = openStore?.() ?? sqlite(path.join(folder, "store.db"));
  const kept = createUndo({
    local: store.local(),
    store,
    lockFile: path.join(folder, "undo.lock"),
    roots: [root],
    maxBytes: 1e9,
    days: 14,
    maxFileBytes: 5e7,
    onError: (error) => console.error(error),
    ...more,
  });
  const [issues, hooks] = [new Set<number>(), {}];
  const { pack } = kept;
  const packs = [
    filesystem({ roots: [root], write: true }),
    storePack({ store, kinds }),
    notes(),
    tracker(issues, hooks),
    pack,
  ];
  const dispatcher = createDispatcher(createCatalog({ packs }), {
    interceptors: [kept.interceptor],
    observers: [kept.observer],
  });
  const dispatch = async (name: string, args: object, context?: Partial<ToolContext>) => {
    const outcome = await dispatcher.dispatch({ name, args, ...(context && { context }) });
    if (outcome.ok) return outcome;
    throw new Error(`${outcome.failure.code}: ${outcome.failure.message}\n${outcome.failure.hint}`);
  };
  return {
    folder,
    root,
    store,
    pack,
    issues,
    hooks,
    dispatcher,
    call: async (...request) => (await dispatch(...request)).value ?? {},
    async text(...request) {
      const { text, blocks = [], notice } = await dispatch(...request);
      const shown = blocks.map((block) => (block.type === "text" ? block.text : ""));
      return [text, ...shown, notice].filter(Boolean).join("\n");
    },
    entries: async () => Array.fromAsync((await kept.open()).log.newestFirst()),
    async prune() {
      await (await kept.open()).log.flush();
      await store.local().transaction((inside) => prune(inside, { maxBytes: 1e9, days: 14, ...more }));
    },
    async end() {
      await store.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
