import { Client as SecondClient } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { PromptListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

interface Connected {
  readonly names: () => Promise<readonly string[]>;
  readonly get: (name: string, args: Record<string, string>) => Promise<unknown>;
  readonly complete: (name: string, argument: string, value: string) => Promise<readonly string[]>;
  readonly put: (record: object) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

type Connect = (args: readonly string[], onChange: () => void) => Promise<Connected>;

const info = { name: "test", version: "1.0.0" };
const transportOf = (args: readonly string[]) => serverTransport(args);

const second =
  (pin?: string): Connect =>
  async (args, onChange) => {
    const client = new SecondClient(info, {
      listChanged: { prompts: { onChanged: onChange, debounceMs: 0 } },
      ...(pin !== undefined && { versionNegotiation: { mode: { pin } } }),
    });
    await client.connect(transportOf(args));
    return {
      names: async () => (await client.listPrompts({}, { cacheMode: "bypass" })).prompts.map(({ name }) => name),
      get: async (name, given) => (await client.getPrompt({ name, arguments: given })).messages[0]?.content,
      complete: async (name, argument, value) => {
        const ref = { type: "ref/prompt", name } as const;
        return (await client.complete({ ref, argument: { name: argument, value } })).completion.values;
      },
      put: (record) => client.callTool({ name: "store_put", arguments: { kind: "prompt", record } }),
      close: () => client.close(),
    };
  };

const first: Connect = async (args, onChange) => {
  const client = new FirstClient(info);
  client.setNotificationHandler(PromptListChangedNotificationSchema, onChange);
  await client.connect(transportOf(args));
  return {
    names: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    get: async (name, given) => (await client.getPrompt({ name, arguments: given })).messages[0]?.content,
    complete: async (name, argument, value) => {
      const ref = { type: "ref/prompt", name } as const;
      return (await client.complete({ ref, argument: { name: argument, value } })).completion.values;
    },
    put: (record) => client.callTool({ name: "store_put", arguments: { kind: "prompt", record } }),
    close: () => client.close(),
  };
};

const clients = {
  "sdk 1": first,
  "sdk 2, protocol 2025": second(),
  "sdk 2, protocol 2026-07-28": second("2026-07-28"),
};

const text = "Translate {{text}} into {{language}}.";
const described = { name: "language", values: ["French", "Finnish", "Welsh"] };

test.each(Object.entries(clients))(
  "%s lists, completes and gets stored prompts, also those that are stored while it is connected",
  async (_, connect) => {
    const home = folder({ "c.json": '{"packs":{"prompts":true}}' });
    const flags = ["--config", `${home}/c.json`, "--store", `${home}/store.db`];
    let changes = 0;
    const client = await connect([...flags, "--log-level", "silent"], () => void (changes += 1));
    onTestFinished(() => client.close());
    expect(await client.names()).not.toContain("translate");

    await client.put({ name: "translate", text, arguments: [described] });
    await vi.waitFor(async () => expect(await client.names()).toContain("translate"), 10_000);
    await vi.waitFor(() => expect(changes).toBeGreaterThan(0), 10_000);
    expect(await client.complete("translate", "language", "f")).toEqual(["French", "Finnish"]);
    expect(await client.get("translate", { text: "{{language}}", language: "Welsh" })).toEqual({
      type: "text",
      text: "Translate {{language}} into Welsh.",
    });
    await expect(client.get("translate", { text: "word" })).rejects.toThrow('argument "language" is required');

    // Another process changes the store.
    const before = changes;
    const put = ["call", "store_put", "kind=prompt", "record.name=greet", "record.text=Hello"];
    const made = await run([...put, "--workspace", "default", ...flags]);
    expect(made.code, made.stderr).toBe(0);
    await vi.waitFor(() => expect(changes).toBeGreaterThan(before), 10_000);
    expect(await client.names()).toEqual(expect.arrayContaining(["greet", "translate"]));
    expect(await client.get("greet", {})).toEqual({ type: "text", text: "Hello" });
  },
);

test("without the pack, there is no kind of prompts", async () => {
  const home = folder();
  const { code, stdout, stderr } = await run(
    ["call", "store_put", "kind=prompt", "record.name=a", "record.text=b", "--store", `${home}/store.db`],
    { cwd: home },
  );
  expect(code).toBe(1);
  expect(stdout + stderr).toContain("prompt");
});
