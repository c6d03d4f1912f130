import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { serverPacks } from "./server-packs.ts";

const rough = fileURLToPath(new URL("../rough-server.fixture.ts", import.meta.url));

/** Creates the packs of one server with an identity of each caller, as each mounting does. */
function mountings(block: object = {}) {
  const limits = new Map();
  const directory = mkdtempSync(path.join(tmpdir(), "caller-servers-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const target = { command: process.execPath, args: [rough, "plain"], identity: "caller", maxCallers: 1 };
  const folders = { cacheDirectory: path.join(directory, "cache"), dataDirectory: path.join(directory, "data") };
  const warnings: string[] = [];
  const log = { error: () => {}, warn: (text: string) => void warnings.push(text), info: () => {}, debug: () => {} };
  const mountFor = (caller: string) => {
    const planned = {
      key: "Rough",
      name: "rough",
      block: { ...target, ...folders, ...block },
      isPerCaller: true,
      avoid: [],
    };
    const { packs, leftOut } = serverPacks([planned], {
      directory,
      environment: process.env,
      log,
      host: {},
      caller,
      limits,
    });
    onTestFinished(async () => void (await Promise.all(packs.map(({ remote }) => remote.end()))));
    const call = async (name: string, args: object, signal = new AbortController().signal) => {
      const tool = (await packs[0]?.tools())?.find((one) => one.name === name);
      return JSON.stringify(await tool?.run(args, { signal, progress: async () => {}, principal: "" }));
    };
    return { call, leftOut };
  };
  return { mountFor, warnings };
}

test("callers of one server have processes of their own, and one limit for all of them", async () => {
  const { mountFor } = mountings();
  const [ada, bob] = [mountFor("ada"), mountFor("bob")];
  const say = async ({ call }: typeof ada) =>
    /\\"pid\\":(\d+)|"pid":(\d+)/.exec(await call("rough_say", { text: "hi" }))?.[0];
  const ofAda = await say(ada);
  expect(ofAda).toBeDefined();
  expect(await say(ada)).toBe(ofAda);
  expect(await say(bob)).not.toBe(ofAda);
  // The limit of 1 has ended the process of the other caller.
  expect(await say(ada)).not.toBe(ofAda);
  const stop = new AbortController();
  const hanging = ada.call("rough_hang", {}, stop.signal).catch((error: unknown) => error);
  await expect(bob.call("rough_say", {})).rejects.toThrow(/rough is in use by 1 other callers/);
  stop.abort();
  await hanging;
});

test("an invalid block is reported at the start, and not again for each caller", () => {
  const { mountFor, warnings } = mountings({ maxCallers: 0 });
  expect(["", "ada", "bob"].map((caller) => mountFor(caller).leftOut.length)).toEqual([1, 1, 1]);
  expect(warnings).toEqual([expect.stringMatching(/^mcpServers\.Rough is left out: maxCallers: /)]);
});
