import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createCatalog, type CatalogOptions } from "./catalog.ts";
import { createPack, definePack } from "./define-pack.ts";
import { defineTool } from "./define-tool.ts";
import type { Pack } from "./pack.ts";
import type { Remote } from "./remote.ts";
import type { Rights } from "./rights.ts";
import type { Tool } from "./tool.ts";

function tool(name: string, changes: Partial<Tool> = {}): Tool {
  const made = defineTool({
    name,
    description: "Do it.",
    mutates: false,
    input: z.object({}),
    output: z.object({}),
    handler: () => ({}),
  });
  return { ...made, ...changes };
}

function pack(name: string, ...tools: Tool[]): Pack {
  return definePack({ name, description: "Does.", budget: 100, tools: () => tools })();
}

const files = () => pack("files", tool("file_read"), tool("file_write", { mutates: true, aliases: ["write_file"] }));
const notes = () => pack("notes", tool("note_add", { mutates: true }));

async function names(options: CatalogOptions, rights: Rights = {}): Promise<string> {
  const view = await createCatalog(options).view(rights);
  return (await view.entries()).map(({ facet, tool: { name } }) => `${facet}/${name}`).join(" ");
}

/** A pack whose tools fail to load the first time, and the number of loads. */
function failsOnce() {
  let count = 0;
  const tools = async () => {
    count += 1;
    if (count === 1) throw new Error("not yet");
    return [tool("file_read")];
  };
  const flaky: Pack = { ...files(), tools };
  return { flaky, loads: () => count };
}

describe("createCatalog", () => {
  test("lists every tool in mounting order, with its facet", async () => {
    expect(await names({ packs: [notes(), files()] })).toBe("notes/note_add files/file_read files/file_write");
  });

  test("says that an unknown name may be a tool of a pack whose tools are not known yet", async () => {
    const withheld = [{ reason: "the pack ./notes.js is not mounted: it is not trusted", hint: "Trust it." }];
    const catalog = createCatalog({ packs: [files()], withheld });
    expect(await catalog.resolve("note_add")).toMatchObject({
      failure: {
        code: "not_found",
        hint: expect.stringMatching(
          /Or the pack \.\/notes\.js is not mounted: it is not trusted\. Trust it\.$/,
        ) as string,
      },
    });
    expect(await catalog.resolve("file_read")).toHaveProperty("tool");
  });

  test("denies a facet or a tool, and says how to allow it", async () => {
    expect(await names({ packs: [notes(), files()] }, { deny: ["notes", "file_write"] })).toBe("files/file_read");
    const catalog = await createCatalog({ packs: [notes(), files()] }).view({ deny: ["notes", "file_write"] });
    expect(catalog.packs.map(({ name }) => name)).toEqual(["files"]);
    for (const [name, by] of Object.entries({
      note_add: "notes",
      file_write: "file_write",
      write_file: "file_write",
    })) {
      expect(await catalog.resolve(name)).toMatchObject({
        failure: { code: "denied", hint: expect.stringContaining(`remove ${by} from deny`) },
      });
    }
  });

  test("refuses mutating tools when read-only, also by alias", async () => {
    const catalog = await createCatalog({ packs: [notes(), files()] }).view({ readOnly: true });
    expect((await catalog.entries()).map((entry) => entry.tool.name)).toEqual(["file_read"]);
    expect(await catalog.resolve("write_file")).toMatchObject({
      failure: { code: "denied", message: "file_write changes things, and this server is read-only" },
    });
  });

  test("says why a tool of a mounted or missing pack is withheld", async () => {
    const withheld = { prefix: "issue_", reason: "no store is configured", hint: "Start with --store." };
    const half = { ...files(), withheld: [{ names: ["file_move"], reason: "writing is off", hint: "Use --write." }] };
    const catalog = createCatalog({ packs: [half], withheld: [withheld] });
    expect(await catalog.resolve("issue_ready")).toEqual({
      failure: {
        code: "denied",
        message: "issue_ready cannot be called: no store is configured",
        hint: "Start with --store.",
      },
    });
    expect(await catalog.resolve("file_move")).toMatchObject({ failure: { hint: "Use --write." } });
    expect(await names({ packs: [half], withheld: [withheld] }, { deny: ["issue_ready", "file_move"] })).toBe(
      "files/file_read files/file_write",
    );
  });

  test("finds a tool by a deprecated name, and reports this name", async () => {
    const found = await createCatalog({ packs: [files()] }).resolve("write_file");
    expect(found).toMatchObject({ alias: "write_file", tool: { name: "file_write" }, facet: "files" });
  });

  test("suggests names near an unknown name, and shortens a long one", async () => {
    const catalog = createCatalog({ packs: [files()] });
    expect(await catalog.resolve("file_raed")).toMatchObject({
      failure: {
        code: "not_found",
        message: 'no tool is named "file_raed"',
        hint: expect.stringContaining("Nearest: file_read"),
      },
    });
    const found = await catalog.resolve("x".repeat(1_000_000));
    expect(JSON.stringify(found).length).toBeLessThan(300);
    for (const name of ["__proto__", "constructor", "", "\0"]) {
      expect(await catalog.resolve(name)).toMatchObject({ failure: { code: "not_found" } });
    }
  });

  test("refuses two tools of one name, aliases included, and names both packs", async () => {
    const twice = createCatalog({ packs: [files(), pack("others", tool("write_file"))] });
    await expect(twice.entries()).rejects.toThrow("write_file is in pack files and in pack others");
    await expect(twice.resolve("file_read")).rejects.toThrow("rename one");
  });

  test("denies a tool by its alias", async () => {
    const catalog = await createCatalog({ packs: [files()] }).view({ deny: ["write_file"] });
    expect(await catalog.resolve("file_write")).toMatchObject({
      failure: { code: "denied", hint: expect.stringContaining("remove write_file from deny") },
    });
  });

  test("refuses to deny an unknown name, and lists the facets", async () => {
    await expect(names({ packs: [files()] }, { deny: ["flies"] })).rejects.toThrow(
      "deny: flies is neither a facet nor a tool; facets are files",
    );
  });

  test("loads the tools of packs once at the first use, and again after a failure", async () => {
    const { flaky, loads } = failsOnce();
    const catalog = createCatalog({ packs: [flaky] });
    expect(loads()).toBe(0);
    await expect(catalog.entries()).rejects.toThrow("not yet");
    await catalog.entries();
    await catalog.resolve("file_read");
    expect(loads()).toBe(2);
  });
});

describe("createCatalog with another server's pack", () => {
  function remotePack(
    name: string,
    tools: () => readonly Tool[],
    knownTools: Remote["knownTools"] = () => undefined,
  ): Pack {
    const prefix = `${name}_`;
    const remote: Remote = {
      knownTools,
      prefix,
      missing: (wanted) =>
        tools().length === 0 ? { code: "unavailable", message: `${wanted}: ${name} is down` } : undefined,
      watch: () => () => {},
      resources: async () => [],
      resourceTemplates: async () => [],
      owns: () => false,
      read: async () => [],
      prompts: async () => [],
      prompt: async () => ({ messages: [] }),
      end: async () => {},
    };
    return createPack({ name, description: "Another.", budget: 100, remote, tools: async () => tools() });
  }

  test.each([
    ["has to ask for", false],
    ["knows", true],
  ])("that %s its tools shows the current tools", async (_, isKnown) => {
    let tools = [tool("git_log")];
    const git = remotePack(
      "git",
      () => tools,
      () => (isKnown ? tools : undefined),
    );
    const catalog = createCatalog({ packs: [files(), git] });
    const before = await catalog.entries();
    expect(await catalog.entries()).toBe(before);
    tools = [tool("git_show")];
    expect(await catalog.resolve("git_show")).toHaveProperty("tool");
    expect(await catalog.resolve("git_log")).toMatchObject({ failure: { code: "not_found" } });
  });

  test("finds a tool at once if no pack must be loaded", async () => {
    let tools: readonly Tool[] | undefined = [tool("git_log")];
    const git = remotePack(
      "git",
      () => tools ?? [],
      () => tools,
    );
    const catalog = createCatalog({ packs: [files(), git] });
    expect(catalog.resolveIfLoaded("git_log")).toBeUndefined();
    const found = await catalog.resolve("git_log");
    expect(catalog.resolveIfLoaded("git_log")).toBe(found);
    expect(catalog.resolveIfLoaded("git_show")).toMatchObject({ failure: { code: "not_found" } });
    tools = [tool("git_show")];
    expect(catalog.resolveIfLoaded("git_show")).toBeUndefined();
    await catalog.entries();
    expect(catalog.resolveIfLoaded("git_show")).toHaveProperty("tool");
    tools = undefined;
    expect(catalog.resolveIfLoaded("git_show")).toBeUndefined();
  });

  test("leaves out its tool if the name is taken, in any mounting order", async () => {
    const git = remotePack("file", () => [tool("file_read", { description: "Theirs." }), tool("file_else")]);
    const catalog = createCatalog({ packs: [git, files()] });
    expect(await catalog.resolve("file_read")).toMatchObject({ facet: "files" });
    expect(await catalog.resolve("file_else")).toMatchObject({ facet: "file" });
  });

  test("gives a name of two servers' tools to the server with the longer prefix", async () => {
    const named = () => [tool("git_hub_log")];
    const packs = [remotePack("git", named), remotePack("git_hub", named)];
    for (const all of [packs, packs.toReversed()]) {
      expect(await createCatalog({ packs: all }).resolve("git_hub_log")).toMatchObject({ facet: "git_hub" });
    }
  });

  test("lists a name of two servers' tools under the server that a call reaches", async () => {
    const lists: string[] = [];
    const git = remotePack("git", () => [tool("git_lab_list"), tool("git_log"), tool("file_read")]);
    const lab = remotePack("git_lab", () => [tool("git_lab_list")]);
    const hub = remotePack("hub", () => {
      lists.push("hub");
      return [tool("hub_list")];
    });
    const catalog = createCatalog({ packs: [git, lab, hub, files()] });
    const listed = async (...facets: string[]) =>
      (await catalog.entriesOf(facets)).map(({ facet, tool: { name } }) => `${facet}/${name}`);
    expect(await listed("git")).toEqual(["git/git_log"]);
    expect(await listed("git_lab")).toEqual(["git_lab/git_lab_list"]);
    expect(lists).toEqual([]);
    for (const { facet, tool: one } of await catalog.entriesOf(["git", "git_lab", "files"])) {
      expect(await catalog.resolve(one.name)).toMatchObject({ facet });
    }
  });

  test("denies a tool before it is known, and says that the server with the longer prefix is down", async () => {
    const [git, lab] = [remotePack("git", () => [tool("git_log")]), remotePack("git_lab", () => [])];
    const catalog = await createCatalog({ packs: [git, lab] }).view({ deny: ["git_push"] });
    expect(await catalog.resolve("git_log")).toHaveProperty("tool");
    const missing = { failure: { code: "unavailable", message: "git_lab_merge: git_lab is down" } };
    expect(await catalog.resolve("git_lab_merge")).toEqual(missing);
  });

  test("shows a token only the granted tools, and follows their changes", async () => {
    let tools = [tool("git_log"), tool("git_push")];
    const git = remotePack(
      "git",
      () => tools,
      () => tools,
    );
    const held: Remote = {
      ...(git.remote as Remote),
      missing: (name) => ({ code: "denied", message: `${name} is held back` }),
      owns: () => true,
      resources: async () => [{ uri: "git://log", name: "log" }],
      prompts: async () => [{ name: "git_ask" }],
    };
    const catalog = createCatalog({ packs: [files(), { ...git, remote: held }] });
    const view = await catalog.view({ grants: [{ tools: ["git_log", "git_merge"] }] });
    const shown = async () => (await view.entries()).map((entry) => entry.tool.name);
    expect(await shown()).toEqual(["git_log"]);
    const [pack] = view.packs;
    expect(await pack?.remote?.resources()).toEqual([]);
    expect(await pack?.remote?.prompts()).toEqual([]);
    expect(pack?.remote?.owns("git://log")).toBe(false);
    await expect(pack?.remote?.prompt("git_ask", {}, {} as never)).rejects.toThrow("there is no prompt");
    expect(await view.resolve("git_merge")).toMatchObject({ failure: { message: "git_merge is held back" } });
    for (const name of ["git_push", "git_none", "file_read"]) {
      expect(await view.resolve(name)).toMatchObject({ failure: { code: "not_found" } });
    }
    tools = [tool("git_log"), tool("git_merge")];
    expect(await shown()).toEqual(["git_log", "git_merge"]);
    expect(view.resolveIfLoaded("git_merge")).toHaveProperty("tool");
  });
});

describe("view", () => {
  test("is the same for the same rights in any order, and another for other rights", async () => {
    const catalog = createCatalog({ packs: [files(), notes()] });
    const view = await catalog.view({ deny: ["notes", "file_write"], grants: [{ facets: ["files", "notes"] }] });
    expect(await catalog.view({ grants: [{ facets: ["notes", "files"] }], deny: ["file_write", "notes"] })).toBe(view);
    expect(await catalog.view({ deny: ["notes", "file_write"] })).not.toBe(view);
    const two = [{ readOnly: true }, { facets: ["files"] }];
    expect(await catalog.view({ grants: two.toReversed() })).toBe(await catalog.view({ grants: two }));
    expect(await catalog.view({ grants: [] })).not.toBe(await catalog.view({}));
    expect(await catalog.view({ grants: [{ tools: ["files", "notes"] }], deny: ["file_write", "notes"] })).not.toBe(
      view,
    );
  });

  test("shares the loaded packs and the index with a thousand other views", async () => {
    let loaded = 0;
    const packs = Array.from({ length: 50 }, (_, at): Pack => {
      const tools = Array.from({ length: 10 }, (_unused, number) => tool(`p${at}_tool_${number}`));
      const made = pack(`p${at}`, ...tools);
      return {
        ...made,
        tools: () => {
          loaded += 1;
          return made.tools();
        },
      };
    });
    const catalog = createCatalog({ packs });
    const all = await catalog.entries();
    for (let at = 0; at < 1_000; at += 1) {
      const facet = `p${at % 50}`;
      const view = await catalog.view({ grants: [{ facets: [facet, `other${at}`] }] });
      expect(await view.resolve(`${facet}_tool_3`)).toBe(all[(at % 50) * 10 + 3]);
      expect(view.packs.map(({ name }) => name)).toEqual([facet]);
      expect(await view.entries()).toHaveLength(10);
    }
    expect(loaded).toBe(50);
  });

  test("shows a token nothing of tools that are not mounted or held back", async () => {
    const half = { ...files(), withheld: [{ names: ["file_move"], reason: "writing is off", hint: "Use --write." }] };
    const withheld = [
      { prefix: "issue_", reason: "it is off", hint: "Turn it on." },
      { reason: "the pack ./x.js is not mounted", hint: "Trust it." },
    ];
    const catalog = createCatalog({ packs: [half, notes()], withheld });
    const hints = async (grants: Rights["grants"]) => {
      const view = await catalog.view({ ...(grants && { grants }) });
      const found = await Promise.all(["file_move", "issue_add", "zzz"].map((name) => view.resolve(name)));
      return found.map((one) => ("failure" in one ? `${one.failure.code} ${one.failure.hint}` : ""));
    };
    const unknown = "not_found Call a tool of the list.";
    expect(await hints(undefined)).toEqual([
      "denied Use --write.",
      "denied Turn it on.",
      `${unknown} Or the pack ./x.js is not mounted. Trust it.`,
    ]);
    expect(await hints([{ facets: ["files"] }])).toEqual(["denied Use --write.", unknown, unknown]);
    expect(await hints([{ facets: ["notes"] }])).toEqual([unknown, "not_found Nearest: note_add.", unknown]);
    expect((await hints([{ readOnly: true }]))[0]).toMatch(/^not_found /);
    expect((await hints([{ readOnly: true }, { facets: ["notes"] }]))[0]).toMatch(/^not_found /);
    expect((await hints([{ readOnly: true }, { tools: ["file_move"] }]))[0]).toBe("denied Use --write.");
  });

  test("answers the same for a tool that a token does not grant and for one that does not exist", async () => {
    const remote = (code: "unavailable" | "denied"): Pack => ({
      ...pack("git", tool("git_log"), tool("git_push", { mutates: true })),
      remote: {
        prefix: "git_",
        knownTools: () => undefined,
        missing: () => ({ code, message: "…" }),
      } as unknown as Remote,
    });
    for (const code of ["unavailable", "denied"] as const) {
      const catalog = createCatalog({ packs: [files(), remote(code)] });
      const cases = [
        [{ readOnly: true }],
        [{ tools: ["git_log"] }],
        [{ facets: ["files"] }],
        [{ facets: [] }],
        [],
        [{ readOnly: true }, { facets: ["files"] }],
      ];
      for (const grants of cases) {
        const view = await catalog.view({ grants });
        const answers = ["git_push", "git_pusj"].map(async (name) =>
          JSON.stringify(await view.resolve(name)).replaceAll(name, "…"),
        );
        expect(new Set(await Promise.all(answers)).size, JSON.stringify(grants)).toBe(1);
      }
    }
  });

  test("loads packs again that failed to load", async () => {
    const { flaky } = failsOnce();
    const catalog = createCatalog({ packs: [flaky] });
    await expect(catalog.view({ grants: [{ tools: ["file_read"] }] })).rejects.toThrow("not yet");
    expect((await catalog.view({ grants: [{ tools: ["file_read"] }] })).packs).toHaveLength(1);
  });
});
