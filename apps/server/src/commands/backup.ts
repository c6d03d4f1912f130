import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { newFile } from "../new-file.ts";
import { printError } from "../print.ts";
import { isPostgres, requireStore } from "../store.ts";

/** `toolpacks backup <file>`: copies a consistent snapshot of the store to a new file, which `--store` can open. */
export async function backup(file: string, flags: Flags): Promise<void> {
  const { store: setting } = await readSettings(flags);
  if (isPostgres(setting.value)) {
    throw new ConfigurationError(
      `${setting.origin}: PostgreSQL is backed up with pg_dump; toolpacks export writes a portable file`,
    );
  }
  requireStore(setting);
  const { sqlite } = await import("@toolpacks/store-sqlite");
  const store = sqlite(setting.value);
  try {
    await newFile(file, (temporary) => store.backup(temporary));
    printError(`${setting.value} copied to ${file}, generation ${await store.generation()}`);
  } finally {
    await store.end();
  }
}
