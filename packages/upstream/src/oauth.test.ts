import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { serveWithOAuth } from "./authorization-server.fixture.ts";
import { modernSite } from "./http.fixture.ts";
import type { UpstreamPack } from "./index.ts";
import { connectThrough, createUpstream, folder } from "./wire.fixture.ts";

const say = (client: Client): Promise<CallToolResult> =>
  client.callTool({ name: "tool_invoke", arguments: { name: "web_say", args: { text: "hi" } } });

function textOf({ content }: { content: readonly ContentBlock[] }): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** A person who agrees: a browser that goes where it is sent. */
const agree = async (url: URL) => void (await fetch(url));

test("a sign-in leaves tokens that only their owner can read, and that are refreshed when they are worth nothing", async () => {
  const site = await serveWithOAuth(modernSite());
  const dataDirectory = folder();
  const create = (): UpstreamPack => createUpstream({ name: "web", url: site.url, auth: "oauth", dataDirectory });

  const before = await connectThrough([create()]);
  expect(textOf(await say(before.client))).toMatch(/web asks for a sign-in/);

  const pack = create();
  await pack.signIn(agree);
  const directory = path.join(dataDirectory, "upstream", "sign-ins");
  const [file = ""] = readdirSync(directory);
  expect(statSync(path.join(directory, file)).mode & 0o777).toBe(0o600);
  expect(readFileSync(path.join(directory, file), "utf8")).toContain("refresh_token");

  const { client } = await connectThrough([pack]);
  expect(textOf(await say(client))).toBe("modern hi");
  site.expire();
  expect(textOf(await say(client))).toBe("modern hi");
  expect(site.grants).toEqual(["authorization_code", "refresh_token"]);

  // Another process, later.
  const later = await connectThrough([create()]);
  expect(textOf(await say(later.client))).toBe("modern hi");
});

test("a sign-in takes no code that comes back with another state", async () => {
  const site = await serveWithOAuth(modernSite());
  const pack = createUpstream({ name: "web", url: site.url });
  const forged: number[] = [];
  await pack.signIn(async (url) => {
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.search = "?code=stolen&state=guessed";
    forged.push((await fetch(back)).status);
    await agree(url);
  });
  expect(forged).toEqual([404]);
  const { client } = await connectThrough([pack]);
  expect(textOf(await say(client))).toBe("modern hi");
});

test("a sign-in that is refused says so", async () => {
  const site = await serveWithOAuth(modernSite());
  const pack = createUpstream({ name: "web", url: site.url });
  const refused = pack.signIn(async (url) => {
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    back.search = `?error=access_denied&state=${url.searchParams.get("state")}`;
    await fetch(back);
  });
  await expect(refused).rejects.toThrow("access_denied");
});
