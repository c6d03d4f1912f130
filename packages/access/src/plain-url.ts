import { ConfigurationError } from "@toolpacks/core";

/** Parses the address of a setting. @throws ConfigurationError for an address with a query, a fragment or a password */
export function plainUrl(address: string, setting: string): URL {
  const url = new URL(address);
  const { search, hash, username, password } = url;
  if ([search, hash, username, password].every((part) => part === "")) return url;
  throw new ConfigurationError(`${setting}: expected an address without query, fragment and password`);
}
