import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  createCatalog,
  createPack,
  definePack,
  defineStepType,
  defineTool,
  ToolError,
  type FullCatalog,
  type OwnedStore,
  type Remote,
  type Tool,
  defineKind,
} from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";
import { remoteOf } from "./remote.fixture.ts";

function tool(name: string, { mutates = false, ...changes }: Partial<Tool> = {}): Tool {
  const defined = defineTool({
    name,
    description: `Does ${name}.`,
    mutates,
    input: z.object({}),
    output: z.object({ done: z.string() }),
    handler: () => ({ done: name }),
  });
  return { ...defined, ...changes };
}

/** Calls another tool with the rights of its caller, as a workflow does. */
const agentCall = defineTool({
  name: "agent_call",
  description: "Does what another tool does.",
  mutates: false,
  input: z.object({ name: z.string().max(100), step: z.string().max(100).optional() }),
  output: z.object({ failure: z.string(), steps: z.array(z.string()) }),
  handler: async ({ name, step = "" }, { access }) => {
    if (access === undefined) throw new Error("dispatch sets no access");
    const outcome = await access.dispatch({ name });
    const found = await access.resolveStep(step);
    const failures = [
      outcome.ok ? undefined : outcome.failure.code,
      "failure" in found ? found.failure.code : undefined,
    ];
    return { failure: failures.map((code) => code ?? "ok").join(), steps: [...(await access.stepTypes()).keys()] };
  },
});

const prompt = (name: string, about: string) => ({
  name,
  description: `Asks for ${about}.`,
  tool: about,
  arguments: [],
  text: () => `Call ${about}.`,
});

const kind = (name: string) =>
  defineKind({
    name,
    description: `A ${name}.`,
    schema: z.object({ title: z.string() }),
  });

const paper = kind("paper");
const song = kind("song");

const agent = definePack({ name: "agent", description: "Calls.", budget: 500, tools: () => [agentCall] });

const files = definePack({
  name: "files",
  description: "Holds files.",
  instructions: "Read papers with file_read.",
  budget: 500,
  kinds: [paper],
  tools: () => [tool("file_read"), tool("file_write", { mutates: true, aliases: ["write_file"] })],
  prompts: () => [prompt("reading", "file_read"), prompt("writing", "file_write")],
  steps: () =>
    [true, false].map((mutates) =>
      defineStepType({
        name: mutates ? "file_mark" : "file_count",
        description: "Works on files.",
        mutates,
        params: z.object({}),
        run: () => ({}),
      }),
    ),
});

const music = definePack({
  name: "music",
  description: "Holds songs.",
  instructions: "Play songs with song_play.",
  budget: 500,
  kinds: [song],
  tools: () => [tool("song_play"), tool("song_keep", { mutates: true })],
  prompts: () => [prompt("playing", "song_play")],
});

/** A pack with a resource, such as the relay. */
const pictures = () =>
  createPack({
    name: "pictures",
    description: "Holds pictures.",
    budget: 500,
    tools: async () => [tool("picture_show")],
    resources: {
      templates: [{ uriTemplate: "picture://{id}", name: "picture" }],
      owns: (uri) => uri.startsWith("picture://"),
      read: async (uri) => [{ uri, text: "a picture" }],
    },
  });

/** A pack of another server. */
function hub() {
  const tools = [tool("hub_list"), tool("hub_push", { mutates: true })];
  const remote: Remote = {
    ...remoteOf("hub_", tools),
    missing: (name) => (name === "hub_held" ? { code: "denied", message: "hub_held is held back" } : undefined),
    resources: async () => [{ uri: "hub://log", name: "hub log" }],
    resourceTemplates: async () => [{ uriTemplate: "hub://{id}", name: "hub entry" }],
    owns: (uri) => uri.startsWith("hub://"),
    read: async (uri) => [{ uri, text: "a log" }],
    prompts: async () => [{ name: "hub_ask" }],
    async prompt(name) {
      if (name !== "hub_ask") throw new ToolError("invalid_input", `there is no prompt ${JSON.stringify(name)}`);
      return { messages: [{ role: "user", content: { type: "text", text: "Ask the hub." } }] };
    },
  };
  return createPack({ name: "hub", description: "Another server.", budget: 500, remote, tools: async () => tools });
}

/** A catalog with packs of every sort: prompts, resources, record kinds, step types, another server. */
export function everySort(): {
  readonly catalog: FullCatalog;
  readonly store: OwnedStore;
  readonly end: () => Promise<void>;
} {
  const folder = mkdtempSync(path.join(tmpdir(), "rights-"));
  const store = sqlite(path.join(folder, "store.db"));
  const packs = [files(), music(), pictures(), hub(), agent(), storePack({ store, kinds: [paper, song] })];
  const withheld = [{ prefix: "issue_", reason: "the issues pack is turned off", hint: "Turn it on." }];
  return {
    catalog: createCatalog({ packs, withheld }),
    store,
    async end() {
      await store.end();
      rmSync(folder, { recursive: true });
    },
  };
}
