import { onTestFinished, test, expect } from "vitest";
import { folder } from "./run-cli.fixture.ts";
import { serveRaw } from "./serve.fixture.ts";

/** A pack of this many tools with long descriptions, each of about 100 tokens. */
const largePack = (count: number) => `
const tools = Array.from({ length: ${count} }, (_, at) => ({
  name: "large_do_" + at, description: "Do this. " + "It does one more thing well. ".repeat(12), mutates: false, effects: {}, keywords: [], examples: [],
  aliases: [], media: false, input: { json: () => ({ type: "object" }), full: () => ({ type: "object" }), check: (value) => ({ ok: true, value }) },
  run: () => ({}), render: JSON.stringify,
}));
export default () => ({ name: "large", description: "Many tools.", budget: 100000, kinds: [], withheld: [], tools: async () => tools, registerWith: async () => {} });
`;

function serve(surface: string, count: number) {
  const cwd = folder({ "large.mjs": largePack(count), "toolpacks.config.json": '{"packs": {"./large.mjs": {}}}' });
  const server = serveRaw(["--surface", surface], { cwd });
  onTestFinished(async () => {
    server.end();
    await server.ended;
  });
  return server.output;
}

test("a start with a direct list of more than 10,000 tokens names the surfaces that list less", async () => {
  const [large, small, discovery] = [serve("direct", 200), serve("direct", 10), serve("discovery", 200)];
  await expect
    .poll(() => large.stderr, { timeout: 10_000 })
    .toMatch(
      /about \d\d,000 tokens for these \d+; --surface discovery lists about 900 tokens, --surface two-tool about 600/,
    );
  expect(small.stderr + discovery.stderr).not.toContain("--surface two-tool");
  expect(small.stderr).toContain("direct surface");
});
