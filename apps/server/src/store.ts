import { statSync } from "node:fs";
import type { OwnedStore } from "@toolpacks/core";
import type { Setting, Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { workspaceOptions, type WorkspaceOptions } from "./workspaces/server-workspace.ts";

/** Whether an address has the scheme of PostgreSQL. `checkStoreAddress` validates the rest. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//i.test(address);
}

/** Whether a store is an address and not a file's path. `C:\` is a path. */
export function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}

const accepted = "a file's path or postgres://user:password@host/database";

/** Validates the store's address. @throws ConfigurationError when it is neither a path nor a PostgreSQL address; the message has no password */
export function checkStoreAddress(setting: Setting<string>): Setting<string> {
  const { value, origin } = setting;
  if (value === "") throw new ConfigurationError(`${origin}: expected ${accepted}, received nothing`);
  if (isPostgres(value) && !isUsable(value)) {
    throw new ConfigurationError(
      `${origin}: not a PostgreSQL address; expected postgres://user:password@host/database, in a password / as %2F, @ as %40 and % as %25`,
    );
  }
  if (!isPostgres(value) && hasScheme(value)) {
    throw new ConfigurationError(
      `${origin}: expected ${accepted}, received ${value.slice(0, value.indexOf("://") + 3)}…`,
    );
  }
  return setting;
}

/** Removes passwords from an address. Of an ambiguous address, only the part after the last `@` is kept. */
export function redactAddress(address: string): string {
  if (!isPostgres(address)) return address;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || `${url.pathname}${url.search}${url.hash}`.includes("@")) {
    const host = address.includes("@") ? address.slice(address.lastIndexOf("@")) : "";
    return `postgres://***${host.replaceAll(/([?&][^=&]*)=[^&#]*/g, "$1=***")}`;
  }
  if (url.password !== "") url.password = "***";
  for (const name of new Set(url.searchParams.keys())) if (/pass/i.test(name)) url.searchParams.set(name, "***");
  return url.href;
}

interface OpenOptions extends WorkspaceOptions {
  /** Time allowed to connect to PostgreSQL, in ms. Default: the driver's. */
  readonly connectTimeoutMs?: number;
  /** Called with one line when the store is opened and other users can read or replace it. */
  readonly onWarning?: (message: string) => void;
}

/** The store in the settings. It is opened, created or connected at its first use. */
export async function openStore(
  settings: Settings,
  { connectTimeoutMs, onWarning, ...workspace }: OpenOptions = {},
): Promise<OwnedStore> {
  const { store, maxWorkspaceBytes } = settings;
  const options = {
    ...workspaceOptions(settings, workspace),
    ...(maxWorkspaceBytes.value !== undefined && { maxWorkspaceBytes: maxWorkspaceBytes.value }),
  };
  if (isPostgres(store.value)) {
    const { postgres } = await import("@toolpacks/store-postgres");
    return postgres(store.value, {
      ...options,
      ...(connectTimeoutMs !== undefined && { timeoutMs: connectTimeoutMs }),
    });
  }
  const onOpen = async () => {
    const problems = (await import("./store-owner.ts")).ownerProblems(store.value);
    if (problems.length > 0) onWarning?.(problems.join("; "));
  };
  return (await import("@toolpacks/store-sqlite")).sqlite(store.value, { ...options, ...(onWarning && { onOpen }) });
}

/**
 * Checks that a store exists. Commands that only read would otherwise create an empty store for a mistyped path.
 *
 * @throws ConfigurationError when there is no file, or an empty one
 */
export function requireStore({ value, origin }: Setting<string>): void {
  if (isPostgres(value) || isStoreThere(value)) return;
  throw new ConfigurationError(`${origin === "default" ? "--store" : origin}: there is no store at ${value}`);
}

/** Whether a path exists and is not an empty file. */
export function isStoreThere(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !(found.isFile() && found.size === 0);
}

/** Whether the driver can parse an address. */
function isUsable(address: string): boolean {
  try {
    // An address for a socket has no host: `user:password@/database?host=/run`.
    const { username, password, pathname } = new URL(address.replace("@/", "@localhost/"));
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
