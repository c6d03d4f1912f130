import path from "node:path";
import type { Setting } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { addressFormats, findDriver } from "./bundled-drivers.ts";
import { isFilePath } from "./store-file.ts";

/** Validates the store's address. @throws ConfigurationError when no driver can use it; the message has no password */
export function checkStoreAddress(setting: Setting<string>): Setting<string> {
  const { value, origin } = setting;
  if (value === "") throw new ConfigurationError(`${origin}: expected ${addressFormats}, received nothing`);
  const driver = findDriver(value);
  if (driver === undefined) {
    const scheme = value.slice(0, value.indexOf("://") + 3);
    throw new ConfigurationError(`${origin}: expected ${addressFormats}, received ${scheme}…`);
  }
  const problem = driver.addressProblem?.(value);
  if (problem !== undefined) throw new ConfigurationError(`${origin}: ${problem}`);
  return setting;
}

/** Resolves a relative path against the folder of the setting's source. */
export function resolveStoreAddress(base: string, address: string | undefined): string | undefined {
  if (address === undefined || address === "" || !isFilePath(address)) return address;
  return path.resolve(base, address);
}

/** The address for output, without passwords. Of an address that no driver knows, only the scheme. */
export function redactAddress(address: string): string {
  return findDriver(address)?.describe(address) ?? `${address.slice(0, address.indexOf("://") + 3)}…`;
}

/** The files that hold the store at an address. */
export function storeFiles(address: string): readonly string[] {
  return findDriver(address)?.files?.(address) ?? [];
}
