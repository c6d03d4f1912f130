import { statSync } from "node:fs";
import type { OwnedStore } from "@toolpacks/core";
import type { Setting, Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { workspaceOptions, type WorkspaceOptions } from "./workspaces/server-workspace.ts";

/** Also one that no other program would take: what it says is checked by `checkStoreAddress`. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//i.test(address);
}

/** Whether it is an address rather than a file's path. `C:\` is a path. */
export function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}

const accepted = "a file's path or postgres://user:password@host/database";

/** @throws ConfigurationError when it is neither a path nor an address of PostgreSQL; it never shows a password */
export function checkStoreAddress(setting: Setting<string>): Setting<string> {
  const { value, said } = setting;
  if (value === "") throw new ConfigurationError(`${said}: expected ${accepted}, received nothing`);
  if (isPostgres(value) && !isUsable(value)) {
    throw new ConfigurationError(
      `${said}: not a PostgreSQL address; expected postgres://user:password@host/database, in a password / as %2F, @ as %40 and % as %25`,
    );
  }
  if (!isPostgres(value) && hasScheme(value)) {
    throw new ConfigurationError(
      `${said}: expected ${accepted}, received ${value.slice(0, value.indexOf("://") + 3)}…`,
    );
  }
  return setting;
}

/** An address as it may be shown: without passwords. Of one that cannot be told apart, only what is behind its last `@`. */
export function shownAddress(address: string): string {
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
  /** Milliseconds that a PostgreSQL which cannot be reached is tried for. Default: the driver's. */
  readonly patience?: number;
  /** Told in one line, when the store is opened, which other users can read or replace it. */
  readonly onWarning?: (message: string) => void;
}

/** The store that the settings name. Nothing is opened, made or connected to before its first use. */
export async function openStore(
  settings: Settings,
  { patience, onWarning, ...workspace }: OpenOptions = {},
): Promise<OwnedStore> {
  const { store, maxWorkspaceBytes } = settings;
  const options = {
    ...workspaceOptions(settings, workspace),
    ...(maxWorkspaceBytes.value !== undefined && { maxWorkspaceBytes: maxWorkspaceBytes.value }),
  };
  if (isPostgres(store.value)) {
    const { postgres } = await import("@toolpacks/store-postgres");
    return postgres(store.value, { ...options, ...(patience !== undefined && { timeoutMs: patience }) });
  }
  const onOpen = async () => {
    const problems = (await import("./store-owner.ts")).ownerProblems(store.value);
    if (problems.length > 0) onWarning?.(problems.join("; "));
  };
  return (await import("@toolpacks/store-sqlite")).sqlite(store.value, { ...options, ...(onWarning && { onOpen }) });
}

/**
 * For what only reads a store, and would make an empty one of a mistyped path.
 *
 * @throws ConfigurationError when there is no file, or an empty one
 */
export function requireStore({ value, said }: Setting<string>): void {
  if (isPostgres(value) || isStoreThere(value)) return;
  throw new ConfigurationError(`${said === "default" ? "--store" : said}: there is no store at ${value}`);
}

/** Whether a path leads to anything but nothing: a file with something in it, of whatever kind. */
export function isStoreThere(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !(found.isFile() && found.size === 0);
}

/** Whether the driver can take it. */
function isUsable(address: string): boolean {
  try {
    // One without a host, for a socket, is `user:password@/database?host=/run`.
    const { username, password, pathname } = new URL(address.replace("@/", "@localhost/"));
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}
