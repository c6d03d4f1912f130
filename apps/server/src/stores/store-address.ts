import path from "node:path";
import { addressFormats, findDriver } from "./bundled-drivers.ts";
import { isFilePath } from "./store-file.ts";

/** Why no driver can use an address, without its password. Undefined: one can. */
export function storeAddressProblem(address: string): string | undefined {
  if (address === "") return `expected ${addressFormats}, received nothing`;
  const driver = findDriver(address);
  if (driver !== undefined) return driver.addressProblem?.(address);
  return `expected ${addressFormats}, received ${address.slice(0, address.indexOf("://") + 3)}…`;
}

/** Resolves a relative path against the folder of the setting's source. */
export function resolveStoreAddress(address: string, base: string): string {
  return address === "" || !isFilePath(address) ? address : path.resolve(base, address);
}

/** The address for output, without passwords. Of an address that no driver knows, only the scheme. */
export function redactAddress(address: string): string {
  return findDriver(address)?.describe(address) ?? `${address.slice(0, address.indexOf("://") + 3)}…`;
}

/** The files that hold the store at an address. */
export function storeFiles(address: string): readonly string[] {
  return findDriver(address)?.files?.(address) ?? [];
}
