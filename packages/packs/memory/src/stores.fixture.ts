import type { OwnedStore } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase } from "@toolpacks/store-postgres/fixture";
import { connectPack } from "@toolpacks/testkit";
import { memory } from "./memory.ts";
import { emptyStore } from "./pack.fixture.ts";

/** An empty store of one driver, and a client of the pack over it. */
export interface ConnectedStore {
  readonly store: OwnedStore;
  /** Calls a tool over the wire and returns the text of its result. */
  ask(name: string, args: object): Promise<string>;
  end(): Promise<void>;
}

/** Opens an empty store of each driver. */
export const emptyStores: Readonly<Record<"SQLite" | "PostgreSQL", () => Promise<ConnectedStore>>> = {
  async SQLite() {
    const { store, remove } = emptyStore();
    return connect(store, () => remove());
  },
  async PostgreSQL() {
    const server = await createDatabase();
    const store = postgres(server.address);
    return connect(store, async () => {
      await store.end();
      await server.remove();
    });
  },
};

async function connect(store: OwnedStore, remove: () => Promise<void>): Promise<ConnectedStore> {
  const client = await connectPack(memory({ store }), "sdk 2, protocol 2026-07-28");
  return {
    store,
    async ask(name, args) {
      const { content } = await client.callTool(name, { ...args });
      return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
    },
    async end() {
      await client.close();
      await remove();
    },
  };
}
