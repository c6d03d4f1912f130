import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { newFile } from "../new-file.ts";
import { printError } from "../print.ts";
import { requireStore, storeDriver } from "../stores/open-store.ts";
import { redactAddress } from "../stores/store-address.ts";

/** `toolpacks backup <file>`: copies a consistent snapshot of the store to a new file, which `--store` can open. */
export async function backup(file: string, flags: Flags): Promise<void> {
  const { store: setting } = await readSettings(flags);
  const driver = storeDriver(setting);
  const copy = driver.backup;
  if (typeof copy !== "function") {
    throw new ConfigurationError(
      `${setting.origin}: ${driver.name} is backed up with ${copy.program}; toolpacks export writes a portable file`,
    );
  }
  requireStore(setting);
  let generation = 0;
  await newFile(file, async (unfinished) => {
    generation = await copy(setting.value, unfinished);
  });
  printError(`${redactAddress(setting.value)} copied to ${file}, generation ${generation}`);
}
