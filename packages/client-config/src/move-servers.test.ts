import { appendFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { asOnWindows, clientSamples } from "./client-samples.fixture.ts";
import { parseText } from "./config-text.ts";
import { byMove, homeWith, place } from "./home.fixture.ts";
import { knownClients } from "./known-clients.ts";

/** A value with the keys of each object in order. An entry that is put back is the last one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

describe.skipIf(process.platform !== "linux")("a move of the servers", () => {
  test.each(clientSamples)("of $id, and its undo, restores every byte", ({ id, file, text }) => {
    for (const original of [text, asOnWindows(text)]) {
      const { move, undo, servers, read, exists } = homeWith({ [file]: original });
      const { files } = move();
      expect(servers(place)["git"]).toMatchObject({ command: "uvx", args: ["mcp-server-git"] });
      const changed = read(file);
      expect(changed).not.toMatch(/mcp-server-git\b(?!hub)/);
      expect(changed).toContain("--config");
      expect(changed.startsWith("\uFEFF")).toBe(original.startsWith("\uFEFF"));
      expect(changed.replaceAll("\r\n", "").includes("\n")).toBe(!original.includes("\r\n"));
      const kept = files[0]?.servers.flatMap(({ decision }) => ("keptBecause" in decision ? decision.keptBecause : []));
      if (id === "goose") expect(kept).toEqual(["type: only Goose can run an extension of type builtin"]);
      if (id === "zed") expect(kept).toEqual(["only Zed can run it, as an extension"]);
      expect(undo(byMove).isDone).toBe(true);
      expect(read(file)).toBe(original);
      expect(exists(place)).toBe(false);
    }
  });

  test.each(clientSamples)("is taken back in a file of $id that was changed since", ({ id, file, text }) => {
    const { move, undo, read, home, leftOver } = homeWith({ [file]: text });
    move();
    const format = knownClients.find((client) => client.id === id)?.format ?? "json";
    const comment = format === "json" ? "\n// later\n" : "\n# later\n";
    appendFileSync(path.join(home, file), comment);
    const { isDone, lines } = undo(byMove);
    expect(isDone).toBe(true);
    expect(lines[0]).toContain("put back; toolpacks removed; later changes of the file are kept");
    const valuesOf = (content: string) => JSON.stringify(sorted(parseText({ file, format, text: content })));
    expect(valuesOf(read(file))).toBe(valuesOf(text));
    expect(read(file)).toContain(comment);
    expect(leftOver()).toEqual([]);
  });

  test("keeps what another server's entry says of its tools' list", () => {
    const other = { command: "uvx", args: ["mcp-server-git"], alwaysLoad: true };
    const { move, servers } = homeWith({ ".claude.json": { mcpServers: { git: other } } });
    move();
    expect(servers(place)["git"]).toEqual(other);
    expect(servers(".claude.json")["toolpacks"]).toMatchObject({ alwaysLoad: true });
  });

  test("converts the fields of Codex", () => {
    const entry = [
      "[mcp_servers.api]",
      'url = "https://api.example.com/mcp"',
      'bearer_token_env_var = "HOME"',
      'env_http_headers = { "X-Home" = "HOME" }',
      'http_headers = { "X-Team" = "shop" }',
      "tool_timeout_sec = 90",
      'enabled_tools = ["search"]',
      "[mcp_servers.local]",
      'command = "uvx"',
      'env = { "A" = "1" }',
      'env_vars = ["HOME", { name = "PATH", source = "local" }]',
      "startup_timeout_ms = 20000",
    ].join("\n");
    const { move, servers } = homeWith({ ".codex/config.toml": entry });
    move();
    expect(servers(place)).toEqual({
      api: {
        url: "https://api.example.com/mcp",
        headers: { "X-Team": "shop", "X-Home": "${HOME}", Authorization: "Bearer ${HOME}" },
        timeoutSeconds: 90,
        enabledTools: ["search"],
      },
      local: { command: "uvx", env: { A: "1", HOME: "${HOME}", PATH: "${PATH}" }, connectSeconds: 20 },
    });
  });

  test.each([
    [".codex/config.toml", "model = 1\nmcp_servers = [\n", /config\.toml:3:1: not valid TOML/],
    [".config/goose/config.yaml", "extensions:\n  a: [\n", /config\.yaml:\d+:\d+: not valid YAML/],
  ])("names the line of %s that cannot be parsed, and leaves the file", (file, text, expected) => {
    const { move, problems, read } = homeWith({ [file]: text });
    move();
    expect(problems).toEqual([expect.stringMatching(expected)]);
    expect(read(file)).toBe(text);
  });
});
