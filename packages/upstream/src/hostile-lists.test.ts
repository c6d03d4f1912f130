import type { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { hostileServer, type HostileServer } from "./hostile.fixture.ts";
import type { UpstreamOptions } from "./options.ts";
import { connectThrough, createUpstream } from "./wire.fixture.ts";

async function through(hostile: HostileServer, more: Partial<UpstreamOptions> = {}) {
  const pack = createUpstream({ name: "evil", ...hostileServer(hostile), ...more });
  await pack.ready();
  return { pack, ...(await connectThrough([pack])) };
}

async function describeTool(client: Client, name: string): Promise<string> {
  const { content } = await client.callTool({ name: "tool_describe", arguments: { name } });
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

test("an invalid prompt, resource or template is left out with a warning, and the others are listed", async () => {
  const logged: string[] = [];
  const { client, pack } = await through(
    {
      prompts: [
        { name: "bad", description: 5, arguments: "boom" },
        { name: "good", description: "Good." },
      ],
      resources: [
        { uri: "file:///bad", name: "bad", mimeType: 5 },
        { uri: "file:///a\r\n\u202Eb", name: "hidden" },
        { uri: "file:///good", name: "good" },
      ],
      resourceTemplates: [
        { uriTemplate: "file:///{a}", name: "bad", description: 7 },
        { uriTemplate: "file:///{b}", name: "good" },
      ],
    },
    { log: (_, message) => logged.push(message) },
  );
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["evil_good"]);
  expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(["good"]);
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toEqual(["good"]);
  expect(logged.join("\n")).toMatch(/left out of prompts: "bad": description: .*expected string/);
  expect((await pack.check()).leftOut).toHaveLength(4);
});

test("only the first of several prompts with one name is listed, with its accepted fields", async () => {
  const first = { name: "p", title: "Zebra", description: "Says the first.", _meta: { a: "zebra" }, more: "zebra" };
  const { client } = await through({
    prompts: [
      { ...first, arguments: [{ name: "x", title: "Zebra", description: "An X." }] },
      { ...first, description: "Says zebra." },
    ],
  });
  expect((await client.listPrompts()).prompts).toEqual([
    { name: "evil_p", description: "Says the first.", arguments: [{ name: "x", description: "An X." }] },
  ]);
});

test("resources and templates are listed with clean texts, and without icons", async () => {
  const texts = { name: "a\u{E0041}", title: "A\u202E", description: "Says\u200B a.", mimeType: "text/plain" };
  const _meta = { a: [{}, {}], b: "as it is\u200B" };
  const more = { ...texts, _meta, icons: [{ src: "https://a.example/icon.png" }] };
  const { client } = await through({
    resources: [{ uri: "file:///a", ...more }],
    resourceTemplates: [{ uriTemplate: "file:///{a}", ...more }],
  });
  const clean = { name: "a", title: "A", description: "Says a.", mimeType: "text/plain", _meta };
  expect((await client.listResources()).resources).toEqual([{ uri: "toolpacks://evil/file:///a", ...clean }]);
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
    { uriTemplate: "toolpacks://evil/file:///{a}", ...clean },
  ]);
});

test("a prompt's name never has the prefix of another server", async () => {
  const { client } = await through({ prompts: [{ name: "lab_deploy" }] }, { avoid: ["evil_lab_"] });
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^evil_lab_deploy_[0-9a-f]{8}$/),
  ]);
});

const wrong: readonly [string, object, RegExp][] = [
  ["properties", { properties: "boom" }, /properties that are not an object/],
  ["a property", { properties: { a: true, b: 5 } }, /property "b" that is not a schema/],
  ["required", { required: [5] }, /required that is not a list of names/],
];
test.each(wrong)("a tool whose %s cannot be listed is left out with the reason", async (_, schema, reason) => {
  const inputSchema = { type: "object", ...schema };
  const good = { name: "good", inputSchema: { type: "object", properties: { a: true, b: false } } };
  const bad = { name: "bad", inputSchema };
  const odd = { name: "odd", inputSchema: { type: "object" }, outputSchema: { type: "array", properties: 5 } };
  const { client, pack } = await through({ tools: [bad, good, odd] });
  expect(await describeTool(client, "evil_bad")).toMatch(reason);
  const listed = pack.remote.knownTools() ?? [];
  expect(listed.map(({ name }) => name)).toEqual(["evil_good", "evil_odd"]);
  expect(listed[0]?.input.json()).toMatchObject({ properties: { a: {}, b: { not: {} } } });
  expect(listed[1]?.output).toBeUndefined();
});

test("lists are built once for an offer, not for each request", async () => {
  const { pack } = await through({
    prompts: [{ name: "p" }],
    resources: [{ uri: "a://b", name: "r" }],
    resourceTemplates: [{ uriTemplate: "a://{b}", name: "t" }],
  });
  const { remote } = pack;
  expect(await remote.prompts()).toHaveLength(1);
  expect(await remote.prompts()).toBe(await remote.prompts());
  expect(await remote.resources()).toBe(await remote.resources());
  expect(await remote.resourceTemplates()).toBe(await remote.resourceTemplates());
});
