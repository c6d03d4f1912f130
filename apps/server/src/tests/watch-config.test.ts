import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { initialize } from "../initialize.fixture.ts";
import { serverTransport, serveRaw, type RawServer } from "../serve.fixture.ts";

const changes = ({ output }: RawServer) => output.stdout.split("notifications/tools/list_changed").length - 1;

async function watching(cwd: string): Promise<RawServer> {
  const server = serveRaw(["--watch", "--root", "."], { cwd });
  server.send(initialize);
  await server.answer(1);
  server.send({ method: "notifications/initialized" });
  // The files are watched soon after the first answer.
  await wait(200);
  return server;
}

test("--watch applies a config file that is created, replaced by another format, and removed", async () => {
  const cwd = folder();
  const server = await watching(cwd);
  writeFileSync(path.join(cwd, "toolpacks.config.json"), '{"expose":["core","filesystem"]}');
  await expect.poll(() => changes(server), { timeout: 10_000 }).toBe(1);
  rmSync(path.join(cwd, "toolpacks.config.json"));
  await expect.poll(() => changes(server), { timeout: 10_000 }).toBe(2);
  writeFileSync(path.join(cwd, "toolpacks.config.yaml"), "expose: [filesystem]\n");
  await expect.poll(() => changes(server), { timeout: 10_000 }).toBe(3);
  server.end();
  expect(await server.ended).toBe(0);
});

test("--watch notifies a listening client of protocol 2026-07-28", async () => {
  const cwd = folder({ "toolpacks.config.json": "{}" });
  let seen: readonly string[] = [];
  const client = new Client(
    { name: "test", version: "1.0.0" },
    {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      listChanged: { tools: { onChanged: (_, tools) => (seen = tools?.map(({ name }) => name) ?? []) } },
    },
  );
  const args = ["--root", cwd, "--watch"];
  await client.connect(serverTransport(args, { cwd }));
  expect((await client.listTools()).tools).toHaveLength(9);
  await wait(200);
  writeFileSync(path.join(cwd, "toolpacks.config.json"), '{ "expose": ["filesystem"] }');
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual(["fs_read", "fs_list", "fs_stat"]);
  await client.close();
});

test("--watch applies a new config file nearer than the first one", async () => {
  const top = folder({ "toolpacks.config.yaml": "expose: [core]\n" });
  const cwd = path.join(top, "sub");
  mkdirSync(cwd);
  const server = await watching(cwd);
  writeFileSync(path.join(cwd, "toolpacks.config.toml"), 'expose = ["filesystem"]\n');
  await expect.poll(() => changes(server), { timeout: 10_000 }).toBe(1);
  rmSync(path.join(cwd, "toolpacks.config.toml"));
  await expect.poll(() => changes(server), { timeout: 10_000 }).toBe(2);
  server.end();
  expect(await server.ended).toBe(0);
});
