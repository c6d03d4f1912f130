import { statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { asOnWindows, clientSamples } from "./client-samples.fixture.ts";
import { byMove, bySetup, homeWith } from "./home.fixture.ts";
import { knownClients } from "./known-clients.ts";

const cursor = ".cursor/mcp.json";
const git = { command: "uvx", args: ["mcp-server-git"] };
const npx = (...args: string[]) => ({ command: "npx", args: ["-y", "toolpacks", ...args] });

test("the samples cover every known client", () => {
  expect(clientSamples.map(({ id }) => id)).toEqual(knownClients.map(({ id }) => id));
});

describe.skipIf(process.platform !== "linux")("a setup", () => {
  test.each(clientSamples)(
    "adds an entry to the file of $id, and its undo restores every byte",
    ({ id, file, text }) => {
      for (const original of [text, asOnWindows(text)]) {
        const { setUp, undo, read, setup, leftOver } = homeWith({ [file]: original });
        setUp([id]);
        const changed = read(file);
        expect(changed).toContain(setup.own.program);
        expect(changed).toContain("--root");
        // Every other line stays as it is, except for a comma after the last one, and a comment of YAML that moves to a line of its own.
        const lines = new Set(changed.split("\n"));
        const lost = original
          .split("\n")
          .filter((line) => !lines.has(line) && !lines.has(line.replace(/(\r?)$/, ",$1")))
          .filter((line) => id !== "goose" || !line.split(/ (?=# )/).every((part) => changed.includes(part)));
        expect(lost.filter((line) => line.trim() !== "")).toEqual([]);
        expect(undo(bySetup).isDone).toBe(true);
        expect(read(file)).toBe(original);
        expect(leftOver()).toEqual([]);
      }
    },
  );

  test("creates a private file, and its undo removes it", () => {
    const { setUp, undo, exists, home } = homeWith();
    const [plan] = setUp(["cursor"]);
    expect(plan?.change?.content).toBeUndefined();
    expect(statSync(path.join(home, cursor)).mode & 0o777).toBe(0o600);
    expect(undo(bySetup).lines).toEqual([`${home}/${cursor}: removed`]);
    expect(exists(cursor)).toBe(false);
  });

  test("updates the arguments of an entry that is there, without a second one", () => {
    const own = npx("serve", "--surface", "direct", "--read-only");
    const { setUp, servers } = homeWith({ [cursor]: { mcpServers: { mine: own, git } } });
    expect(setUp()[0]).toMatchObject({ name: "mine", keptBecause: "it is set up already" });
    setUp(["cursor"], [], (args) => [...args, "--write"]);
    expect(servers(cursor)).toEqual({ mine: { ...own, args: [...own.args, "--write"] }, git });
  });

  test.each([
    { id: "claude-code", file: ".claude.json", lists: { alwaysLoad: true }, defers: { alwaysLoad: false } },
    {
      id: "copilot",
      file: ".copilot/mcp-config.json",
      lists: { deferTools: "never" },
      defers: { deferTools: "auto" },
    },
  ])("makes $id list all tools of a new entry, and of one that says nothing of it", ({ id, file, lists, defers }) => {
    const created = homeWith({ [file]: { mcpServers: { git } } });
    created.setUp([id]);
    expect(created.servers(file)).toEqual({ git, toolpacks: expect.objectContaining(lists) as unknown });

    const { setUp, servers, undo, read } = homeWith({ [file]: { mcpServers: { git, mine: npx("--write") } } });
    const before = read(file);
    setUp([id]);
    expect(servers(file)).toEqual({ git, mine: { ...npx("--write"), ...lists } });
    expect(setUp([id])[0]).toMatchObject({ keptBecause: "it is set up already" });
    expect(undo(bySetup).isDone).toBe(true);
    expect(read(file)).toBe(before);

    for (const mine of [{ ...npx("--write"), ...defers }, npx("--surface", "direct"), npx("--surface=auto")]) {
      const chosen = homeWith({ [file]: { mcpServers: { mine } } });
      expect(chosen.setUp([id])[0]).toMatchObject({ keptBecause: "it is set up already" });
    }
  });

  test("replaces a program that is gone", () => {
    const gone = { command: "/gone/node", args: ["/gone/toolpacks/dist/cli.js", "--write"] };
    const { setUp, servers, setup } = homeWith({ [cursor]: { mcpServers: { mine: gone } } });
    setUp();
    expect(servers(cursor)["mine"]).toMatchObject({ args: [setup.own.program, "--write"] });
  });

  test.each([
    [npx("--config", "/home/me/other.json"), "it is set up with --config"],
    [npx("--facet=issues"), "it is set up with --facet"],
    [{ ...npx("--write"), disabled: true }, "it is disabled there"],
  ])("does not change an entry with a purpose of its own: %j", (own, keptBecause) => {
    const { setUp, read } = homeWith({ [cursor]: { mcpServers: { own } } });
    const before = read(cursor);
    expect(setUp(["cursor"], [], () => ["--write"])[0]).toMatchObject({ name: "own", keptBecause });
    expect(read(cursor)).toBe(before);
  });

  test("adds an entry beside a relay that has our name", () => {
    const relay = npx("relay", "--", "uvx", "mcp-server-git");
    const { setUp, servers } = homeWith({ [cursor]: { mcpServers: { toolpacks: relay } } });
    setUp();
    expect(Object.keys(servers(cursor))).toEqual(["toolpacks", "toolpacks-2"]);
  });

  test("names the line and column of a file that it cannot parse, leaves it, and sets up the others", () => {
    const broken = {
      [cursor]: '{\n  "mcpServers": [,\n',
      ".codex/config.toml": "a = 1\nb = [\n",
      ".config/goose/config.yaml": "a:\n  b: [\n",
    };
    const { setUp, read, servers } = homeWith({ ...broken, ".codeium/windsurf/mcp_config.json": "{}" });
    const problems = setUp().flatMap(({ problem }) => problem ?? []);
    expect(problems).toEqual([
      expect.stringMatching(/mcp\.json:2:\d+: not valid JSON /),
      expect.stringMatching(/config\.toml:\d+:\d+: not valid TOML /),
      expect.stringMatching(/config\.yaml:\d+:\d+: not valid YAML /),
    ]);
    for (const [file, text] of Object.entries(broken)) expect(read(file)).toBe(text);
    expect(Object.keys(servers(".codeium/windsurf/mcp_config.json"))).toEqual(["toolpacks"]);
  });
});

describe.skipIf(process.platform !== "linux")("the undo of a setup", () => {
  test("takes back only the entry if the client has changed the file since", () => {
    const { setUp, undo, read, write, home, leftOver } = homeWith({ ".claude.json": { mcpServers: { git } } });
    setUp(["claude-code"]);
    write(".claude.json", { ...(JSON.parse(read(".claude.json")) as object), numStartups: 2 });
    expect(undo(bySetup)).toEqual({
      isDone: true,
      lines: [`${home}/.claude.json: toolpacks removed; later changes of the file are kept`],
    });
    expect(JSON.parse(read(".claude.json"))).toEqual({ numStartups: 2, mcpServers: { git } });
    expect(leftOver()).toEqual([]);
  });

  test("waits for the undo of a later command", () => {
    const { setUp, move, undo, read, leftOver } = homeWith({ [cursor]: { mcpServers: { git } } });
    const before = read(cursor);
    setUp(["cursor"]);
    const between = read(cursor);
    move();
    const { isDone, lines } = undo(bySetup);
    expect(isDone).toBe(false);
    expect(lines[0]).toContain(`it was changed later by ${byMove}. Run ${byMove} --undo first.`);
    expect(undo(byMove).isDone).toBe(true);
    expect(read(cursor)).toBe(between);
    expect(undo(bySetup).isDone).toBe(true);
    expect(read(cursor)).toBe(before);
    expect(leftOver()).toEqual([]);
    expect(undo(bySetup)).toEqual({
      isDone: true,
      lines: ["there is nothing to undo: toolpacks init has changed no file"],
    });
  });
});
