import { newFile } from "@toolpacks/command-line";
import { ConfigurationError } from "@toolpacks/core";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { type Io, printError } from "@toolpacks/terminal";
import { requireStore, storeDriver } from "../stores/open-store.ts";
import { redactAddress } from "../stores/store-address.ts";

/** `toolpacks backup <file>`: copies a consistent snapshot of the store to a new file, which `--store` can open. */
export async function backup(io: Io, flags: Flags, file: string): Promise<void> {
  const { store: setting } = await readSettings(io, flags);
  const driver = storeDriver(setting);
  const copy = driver.backup;
  if (typeof copy !== "function") {
    throw new ConfigurationError(
      `${setting.origin}: ${driver.name} is backed up with ${copy.program}; toolpacks export writes a portable file`,
    );
  }
  requireStore(setting);
  let generation = 0;
  const write = async (unfinished: string) => {
    generation = await copy(setting.value, unfinished);
  };
  await newFile(file, write, io.cwd);
  printError(io, `${redactAddress(setting.value)} copied to ${file}, generation ${generation}`);
}
