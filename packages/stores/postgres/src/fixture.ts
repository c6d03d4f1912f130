import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import pRetry from "p-retry";
import { findAccount, reachableBinaries, type Account } from "./postgres-binaries.fixture.ts";

/** A PostgreSQL server of one test. */
export interface PostgresServer {
  readonly address: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Kills it immediately, like a crash. */
  kill(): void;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** @throws Error within seconds, with the cause, when this machine cannot run PostgreSQL */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(path.join(tmpdir(), "postgres-"));
  try {
    const account = findAccount(folder);
    const binaries = reachableBinaries(folder, account);
    await createCluster(path.join(binaries, "initdb"), folder, account);
    const port = await freePort();
    let running = await startServer(path.join(binaries, "postgres"), { folder, port, account });
    const stop = async () => endProcess(running, "SIGINT");
    return {
      address: `postgres://tester:secret@127.0.0.1:${port}/postgres`,
      async start() {
        const start = () => startServer(path.join(binaries, "postgres"), { folder, port, account });
        // After a crash it does not start before its last process has ended.
        running = await pRetry(start, { retries: 100, factor: 1, minTimeout: 50 });
      },
      stop,
      kill: () => void running.kill("SIGKILL"),
      async remove() {
        await stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Creates an empty cluster. The first test of a run creates it with initdb, the others copy it. */
async function createCluster(initdb: string, folder: string, account: Account): Promise<void> {
  const data = path.join(folder, "data");
  const ofRun = process.env["POSTGRES_TEST_CLUSTER"];
  if (ofRun !== undefined && copyWithOwners(ofRun, data)) return;
  await runInitdb(initdb, folder, account);
  const copy = `${ofRun}-${randomUUID()}`;
  if (ofRun === undefined || !copyWithOwners(data, copy)) return;
  try {
    renameSync(copy, ofRun);
  } catch {
    // Another test was first.
    rmSync(copy, { recursive: true, force: true });
  }
}

function copyWithOwners(from: string, to: string): boolean {
  if (!existsSync(from)) return false;
  if (spawnSync("cp", ["-a", from, to]).status === 0) return true;
  rmSync(to, { recursive: true, force: true });
  return false;
}

/** The collation is the usual one of servers, which differs from the store's. */
async function runInitdb(initdb: string, folder: string, account: Account): Promise<void> {
  const passwordFile = path.join(folder, "password");
  writeFileSync(passwordFile, "secret\n", { mode: 0o644 });
  const args = ["--pgdata", path.join(folder, "data"), "--username", "tester", "--pwfile", passwordFile];
  const options = ["--auth", "password", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"];
  const child = spawn(initdb, [...args, ...options], { ...account, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    const stderrTail = collectStderr(child);
    child.on("error", (error) => reject(new Error(`PostgreSQL cannot be started for tests: ${error.message}`)));
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`PostgreSQL cannot be started for tests: initdb ended with code ${code}: ${stderrTail()}`));
    });
  });
}

interface ServerOptions {
  readonly folder: string;
  readonly port: number;
  readonly account: Account;
}

/** Resolves when the server accepts connections. Only this machine may connect. */
async function startServer(postgres: string, { folder, port, account }: ServerOptions): Promise<ChildProcess> {
  // fsync is not needed: the system keeps the writes of a killed process.
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "lc_messages=C", "fsync=off"];
  const args = ["-D", path.join(folder, "data"), "-p", String(port), ...settings.flatMap((one) => ["-c", one])];
  const child = spawn(postgres, args, { ...account, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const endWithTests = () => child.kill("SIGQUIT");
  process.once("exit", endWithTests);
  child.once("close", () => process.off("exit", endWithTests));
  await new Promise<void>((resolve, reject) => {
    const stderrTail = collectStderr(child);
    child.on("error", (error) => reject(new Error(`PostgreSQL cannot be started for tests: ${error.message}`)));
    child.on("close", () => reject(new Error(`PostgreSQL cannot be started for tests: ${stderrTail()}`)));
    child.stderr?.on("data", (text: string) => {
      if (text.includes("ready to accept connections")) resolve();
    });
  });
  return child;
}

/** Collects the last characters of a child's stderr. */
function collectStderr(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (more: string) => (text = `${text}${more}`.slice(-1_000)));
  return () => text.trim();
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await ended;
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
