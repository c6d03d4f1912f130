import { Client } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const people = Array.from({ length: 2_000 }, (_, id) => ({ id, team: `team ${id % 7}`, note: "é".repeat(id % 20) }));
const csv = `id,team\n${people.map(({ id, team }) => `${id},${team}`).join("\n")}\n`;

async function connect(args: readonly string[], cwd: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(serverTransport([...args], { cwd }));
  onTestFinished(() => client.close());
  return client;
}

async function text(client: Client, name: string, args: object): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

const handleIn = (shown: string) => /relay:\/\/[a-z2-7]{20}/.exec(shown)?.[0] ?? "none";

test("the built server answers SQL over the JSON and CSV that its tools return", async () => {
  const config = { roots: ["."], packs: { filesystem: { maxReadBytes: 5_000_000 } } };
  const files = { "a.json": JSON.stringify({ people }), "a.csv": csv, "toolpacks.config.json": JSON.stringify(config) };
  const client = await connect(["--trust", "--store", "store.db"], folder(files));
  const pattern = "SELECT team, count(*) AS n FROM t GROUP BY team ORDER BY n DESC, team LIMIT 2";
  for (const [file, source] of [
    ["a.json", "2000 rows of $.people"],
    ["a.csv", "2000 rows of CSV"],
  ]) {
    const handle = handleIn(await text(client, "tool_read", { name: "fs_read", args: { path: file } }));
    expect(await text(client, "relay_read", { handle, mode: "query", pattern })).toBe(
      `team,n\nteam 0,286\nteam 1,286\n[2 rows; t: ${source}]`,
    );
  }
});
