import type { OwnedStore } from "@toolpacks/core";
import type { BundledDriver } from "./bundled-driver.ts";
import { postgresDriver } from "./postgres.ts";
import { sqliteDriver } from "./sqlite.ts";

/** The store drivers of the server. To add a driver, add a file like `postgres.ts` to this folder, and an entry here. */
const bundledDrivers: readonly BundledDriver[] = [sqliteDriver, postgresDriver];

/** A store in a file, for what a command keeps for itself. */
export function openLocalStore(file: string): Promise<OwnedStore> {
  return sqliteDriver.open(file, { store: {}, connectTimeoutMs: undefined, onWarning: undefined });
}

/** The forms of addresses that `--store` accepts, for messages. */
export const addressFormats = bundledDrivers.map(({ addressFormat }) => addressFormat).join(" or ");

/** The forms of addresses in one short line, for help: `a file's path or postgres://…`. */
export const shortAddressFormats = bundledDrivers
  .map(({ addressFormat }) => addressFormat.replace(/:\/\/.*$/, "://…"))
  .join(" or ");

/** The driver of a store's address. Undefined when no driver accepts the address. */
export function findDriver(address: string): BundledDriver | undefined {
  return bundledDrivers.find((driver) => driver.matches(address));
}
