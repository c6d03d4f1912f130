import { afterAll, beforeAll, describe } from "vitest";
import type { OwnedStore } from "@toolpacks/core";
import { archiveTests } from "./behaviour/archive.ts";
import { limitTests } from "./behaviour/limits.ts";
import { changeTests } from "./behaviour/changes.ts";
import { meaningTests } from "./behaviour/meaning.ts";
import { largeTextTests } from "./behaviour/large-text.ts";
import { pagingTests } from "./behaviour/paging.ts";
import { queryTests } from "./behaviour/queries.ts";
import { quotaTests } from "./behaviour/quota.ts";
import { sharingTests } from "./behaviour/sharing.ts";
import { textTests } from "./behaviour/text.ts";
import { transactionTests } from "./behaviour/transactions.ts";
import { workspaceTests } from "./behaviour/workspaces.ts";
import { writeTests } from "./behaviour/writes.ts";
import { sequenceTests } from "./sequences.ts";
import type { CreatePlace, StorePlace, StoreUnderTest } from "./store-place.ts";

export interface StoreContractOptions {
  /** Optional capabilities of the driver. Default: all. */
  readonly capabilities?: {
    /** Several stores can be open on the same data. */
    readonly shared?: boolean;
  };
  /** Generated command sequences, each compared with a plain Map. Default 1,000, or `$TOOLPACKS_SEQUENCES`. */
  readonly sequences?: number;
}

/**
 * Registers the tests that every store driver must pass. Call it at the top of a test file.
 *
 * @example storeContract(async () => {
 *   const folder = await mkdtemp(path.join(tmpdir(), "store-"));
 *   return { open: (options) => sqlite(path.join(folder, "store.db"), options), remove: () => rm(folder, { recursive: true }) };
 * });
 */
export function storeContract(create: CreatePlace, options: StoreContractOptions = {}): void {
  const { capabilities: { shared = true } = {} } = options;
  const sequences = options.sequences ?? Number(process.env["TOOLPACKS_SEQUENCES"] ?? 1_000);

  describe("the store", () => {
    let place: StorePlace | undefined;
    let store: OwnedStore | undefined;
    let workspaces = 0;
    beforeAll(async () => {
      place = await create();
      store = place.open();
    });
    afterAll(async () => {
      await store?.end();
      await place?.remove();
    });
    const under: StoreUnderTest = {
      create,
      fresh: () => {
        if (store === undefined) throw new Error("the store is created before the first test");
        return store.in(`workspace ${(workspaces += 1)}`);
      },
    };
    describe("writes", () => writeTests(under));
    describe("queries", () => queryTests(under));
    describe("text", () => textTests(under));
    describe("text of many records", () => largeTextTests(under));
    describe("meaning", () => meaningTests(under));
    describe("pages", () => pagingTests(under));
    describe("changes", () => changeTests(under));
    describe("transactions", () => transactionTests(under));
    describe("workspaces", () => workspaceTests(under));
    describe("archives", () => archiveTests(under));
    describe("the quota of a workspace", () => quotaTests(under));
    describe("limits", () => limitTests(under));
    if (shared) describe("several stores on the same data", () => sharingTests(under));
    describe("generated sequences", () => sequenceTests(under, sequences));
  });
}
