import { realPath } from "@toolpacks/files";
import { inspectSqlite, isStoreFile, ownerProblems, sqlite, sqliteSelfTest } from "@toolpacks/store-sqlite";
import type { BundledDriver } from "./bundled-driver.ts";
import { isFilePath } from "./store-file.ts";

/** Suffixes of SQLite's files beside a store. SQLite would apply a forged journal to the store. */
const suffixes = ["", "-journal", "-wal", "-shm"];

/** Stores in SQLite files. */
export const sqliteDriver: BundledDriver = {
  name: "SQLite",
  addressFormat: "a file's path",
  isShared: false,
  matches: isFilePath,
  describe: (file) => file,
  files: (file) => [file, realPath(file)].flatMap((one) => suffixes.map((suffix) => `${one}${suffix}`)),
  exists: isStoreFile,
  async open(file, { store, onWarning }) {
    if (onWarning === undefined) return sqlite(file, store);
    const onOpen = async () => {
      const problems = ownerProblems(file);
      if (problems.length > 0) onWarning(problems.join("; "));
    };
    return sqlite(file, { ...store, onOpen });
  },
  inspect: async (file) => inspectSqlite(file),
  selfTest: sqliteSelfTest,
  async backup(file, to) {
    const store = sqlite(file);
    try {
      await store.backup(to);
      return await store.generation();
    } finally {
      await store.end();
    }
  },
};
