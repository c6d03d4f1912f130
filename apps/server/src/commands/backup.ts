import path from "node:path";
import { settle, type Flags } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { isPostgres } from "../store.ts";

/** `toolpacks backup <file>`: the store as of one moment, as a file that `--store` opens. */
export async function backup(file: string, flags: Flags): Promise<void> {
  const { store: setting } = await settle(flags, process.env, process.cwd());
  if (isPostgres(setting.value)) {
    throw new ConfigurationError(
      `${setting.said}: PostgreSQL is backed up with pg_dump; toolpacks export writes a portable file`,
    );
  }
  const { sqlite } = await import("@toolpacks/store-sqlite");
  const store = sqlite(setting.value);
  try {
    await store.backup(path.resolve(file));
    process.stderr.write(`${setting.value} copied to ${file}, generation ${await store.generation()}\n`);
  } finally {
    await store.end();
  }
}
