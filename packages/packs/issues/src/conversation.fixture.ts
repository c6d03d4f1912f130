import { createCatalog, createDispatcher, renderFailure, type Outcome, type Pack, type Store } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { issues } from "./issues.ts";

export interface Conversation {
  readonly pack: Pack;
  readonly store: Store;
  readonly call: (name: string, args?: unknown) => Promise<Outcome>;
  /** Calls a tool and returns the text that a model reads. */
  readonly ask: (name: string, args?: unknown) => Promise<string>;
  /** Calls a tool and returns the structured result; throws if the call fails. */
  readonly value: (name: string, args?: unknown) => Promise<Readonly<Record<string, unknown>>>;
}

/** Calls the pack's tools and the generic store tools, over one store. */
export function converse(store: Store, options: Omit<Parameters<typeof issues>[0], "store"> = {}): Conversation {
  const pack = issues({ store, ...options });
  const generic = storePack({ store, kinds: pack.kinds });
  const dispatcher = createDispatcher(createCatalog({ packs: [pack, generic] }));
  const call: Conversation["call"] = (name, args = {}) => dispatcher.dispatch({ name, args });
  return {
    pack,
    store,
    call,
    ask: async (name, args) => {
      const outcome = await call(name, args);
      return outcome.ok ? outcome.text : renderFailure(outcome.failure);
    },
    value: async (name, args) => {
      const outcome = await call(name, args);
      if (!outcome.ok) throw new Error(renderFailure(outcome.failure));
      return outcome.value ?? {};
    },
  };
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly blocked_by?: readonly string[] }[];
  readonly total: number;
  readonly cursor?: string;
  readonly hint?: string;
}

/** Reads every item of a list, page by page. */
export async function everyItem(
  { value }: Conversation,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Listed["items"]> {
  const items: Listed["items"][number][] = [];
  for (let cursor: string | undefined; ;) {
    const page = (await value(name, {
      limit: 97,
      ...args,
      ...(cursor !== undefined && { cursor }),
    })) as unknown as Listed;
    items.push(...page.items);
    cursor = page.cursor;
    if (cursor !== undefined) continue;
    // A total that is not counted to the end is a minimum.
    const isMinimum = page.hint?.includes(`More than ${page.total} match.`) === true;
    if (isMinimum ? items.length <= page.total : items.length !== page.total)
      throw new Error(`${name}: ${items.length} items, total ${page.total}`);
    return items;
  }
}
