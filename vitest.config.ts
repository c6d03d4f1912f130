import { execFileSync } from "node:child_process";
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

/** What a run writes is gone after it. */
const folderOfRun = newFolder(tmpdir());

/** A folder of this run's own below the given one. */
function newFolder(parent: string): string {
  const folder = mkdtempSync(path.join(parent, "toolpacks-test-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function below(name: string): string {
  const folder = path.join(folderOfRun, name);
  mkdirSync(folder);
  return folder;
}

/** A place for files in memory, where the system has one with room to spare. */
function memoryFolder(): string | undefined {
  const shared = "/dev/shm";
  try {
    accessSync(shared, constants.W_OK);
    const { bavail, bsize } = statfsSync(shared);
    if (bavail * bsize < 4e9) return undefined;
    const folder = newFolder(shared);
    // Like every folder for temporary files, it is open to all: PostgreSQL runs as another account.
    chmodSync(folder, 0o1777);
    return folder;
  } catch {
    return undefined;
  }
}

const inMemory = memoryFolder();

/** The folder of the PostgreSQL server that tests share. The first test that needs it starts it. The account that it runs as must reach the folder. */
const postgresFolder = newFolder(inMemory ?? tmpdir());
chmodSync(postgresFolder, 0o755);
process.env["POSTGRES_TEST_SERVER"] = postgresFolder;

// The processes that tests start load what an earlier one has compiled.
process.env["NODE_COMPILE_CACHE"] ??= below("compile-cache");

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

/** A line for each process that the tests of a normal run start: the file of the test. */
process.env["PROCESS_STARTS"] = path.join(folderOfRun, "process-starts");
const limitedStarts = isCampaign
  ? {}
  : {
      setupFiles: ["scripts/count-process-starts.process.fixture.ts"],
      globalSetup: ["scripts/limit-process-starts.process.fixture.ts"],
    };

const conditions = ["@toolpacks/source", "node"];

const exclude = ["**/node_modules/**", "**/dist/**"];

const every = "{packages,apps,examples,bench,scripts,node-versions}/**/*.test.ts";

/** Tests that start processes, or measure their own. Each file has its own process, and files on a disk as users have them. */
const processTests = "**/*.process.test.ts";

/** Tests that repeat for minutes what others do a few times. */
const campaignTests = "**/*.campaign.test.ts";

// Few tests need a disk, and none asks what survives a loss of power.
const temporary = inMemory === undefined ? {} : { TMPDIR: inMemory };

/** A FIFO that tests link to where they need one: only a process can create one. */
const fifo = path.join(inMemory ?? folderOfRun, "fifo");
if (process.platform !== "win32") execFileSync("mkfifo", [fifo]);

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // No test may open the store of the user who runs it, or read what that user trusts.
    env: {
      TOOLPACKS_STORE: path.join(folderOfRun, "data/store.db"),
      XDG_DATA_HOME: below("data"),
      // Generated sequences of each store's contract. The campaign runs more.
      TOOLPACKS_SEQUENCES: process.env["TOOLPACKS_SEQUENCES"] ?? "100",
      XDG_CONFIG_HOME: below("settings"),
      POSTGRES_TEST_SERVER: postgresFolder,
    },
    // Tests that take long wait for other processes: with one worker per core the cores would idle a third of the time.
    maxWorkers: availableParallelism() + 1,
    globalSetup: "packages/stores/postgres/src/fixture/stop-shared-server.ts",
    testTimeout: 60_000,
    // A test that races with another process on a busy machine runs a second time before it counts as failed. The output names it.
    retry: 1,
    hookTimeout: 60_000,
    // Other processes answer late on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // Files share their processes: most load the same modules.
          isolate: false,
          include: [every],
          exclude: [...exclude, processTests, campaignTests],
          env: { ...temporary, TEST_FIFO: fifo },
        },
      },
      { extends: true, test: { name: "process", include: [processTests], exclude, ...limitedStarts } },
      ...(isCampaign
        ? [{ extends: true as const, test: { name: "campaign", include: [campaignTests], exclude } }]
        : []),
    ],
  },
});
