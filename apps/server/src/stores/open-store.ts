import type { OwnedStore } from "@toolpacks/core";
import { ConfigurationError } from "@toolpacks/core";
import type { Setting } from "@toolpacks/settings";
import { recordMeaning, type MeaningSettings } from "../embeddings.ts";
import { workspaceOptions, type WorkspaceOptions, type WorkspaceSettings } from "./server-workspace.ts";
import type { BundledDriver, DriverOptions } from "./bundled-driver.ts";
import { findDriver } from "./bundled-drivers.ts";

interface StoreSettings extends WorkspaceSettings, MeaningSettings {
  readonly store: Setting<string>;
  /** Maximum size of the records of one workspace, in bytes. Undefined: the store's default. */
  readonly maxWorkspaceBytes: Setting<number | false | undefined>;
}

interface OpenOptions extends WorkspaceOptions, Partial<Pick<DriverOptions, "connectTimeoutMs" | "onWarning">> {
  /** Called with the error of each call that fails because the store cannot be used. */
  readonly onUnavailable?: ((error: unknown) => void) | undefined;
}

/** The store in the settings. It is opened, created or connected at its first use. */
export async function openStore(
  settings: StoreSettings,
  { connectTimeoutMs, onWarning, onUnavailable, ...workspace }: OpenOptions = {},
): Promise<OwnedStore> {
  const { store, maxWorkspaceBytes } = settings;
  const options = {
    ...workspaceOptions(settings, workspace),
    meaning: recordMeaning(settings),
    ...(maxWorkspaceBytes.value !== undefined && { maxWorkspaceBytes: maxWorkspaceBytes.value }),
    ...(onUnavailable && { onUnavailable }),
  };
  return storeDriver(store).open(store.value, { store: options, connectTimeoutMs, onWarning });
}

/** The driver of the store in the settings. @throws ConfigurationError when no driver accepts its address */
export function storeDriver({ value, origin }: Setting<string>): BundledDriver {
  const driver = findDriver(value);
  if (driver === undefined) throw new ConfigurationError(`${origin}: no store driver accepts this address`);
  return driver;
}

/** Whether a command that only reads may open the store. Opening a missing file would create an empty store. */
export function storeExists(setting: Setting<string>): boolean {
  return storeDriver(setting).exists?.(setting.value) ?? true;
}

/**
 * Checks that a store exists, for commands that only read.
 *
 * @throws ConfigurationError when there is no file, or an empty one
 */
export function requireStore(setting: Setting<string>): void {
  if (storeExists(setting)) return;
  const { value, origin } = setting;
  const address = storeDriver(setting).describe(value);
  throw new ConfigurationError(`${origin === "default" ? "--store" : origin}: there is no store at ${address}`);
}
