import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { folder, run } from "../command.fixture.ts";

/** Whether commands use warm servers on this system. */
export const canRunWarm = process.platform !== "win32";

interface ListedServer {
  readonly pid: number;
  readonly folder: string;
}

/**
 * A data folder whose warm servers end after the test.
 *
 * @param after registers what ends the servers. Outside of a test, pass `afterAll`
 */
export function warmServers(after: (end: () => Promise<void>) => void = onTestFinished) {
  const data = folder();
  const env = { TOOLPACKS_WARM: "5", XDG_DATA_HOME: data };
  const place = path.join(data, "toolpacks/warm");
  const sockets = () => (existsSync(place) ? readdirSync(place).filter((name) => name.endsWith(".sock")) : []);
  const stop = () => run(["warm", "stop"], { env });
  const list = async () =>
    JSON.parse((await run(["warm", "list", "--json"], { env })).stdout) as readonly ListedServer[];
  const server = async () => {
    const [only, ...others] = await list();
    expect(others).toEqual([]);
    if (only === undefined) throw new Error("no warm server runs");
    return only;
  };
  after(async () => void (await stop()));
  return { env, place, sockets, stop, list, server };
}

/** Whether a process runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
