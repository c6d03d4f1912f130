import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseToml } from "../config/parse-toml.ts";
import { parseYaml } from "../config/parse-yaml.ts";
import { knownClients } from "@toolpacks/client-config";
import { asOnWindows, clientSamples } from "./client-samples.fixture.ts";
import { homeWith, place } from "./import-home.fixture.ts";

describe.skipIf(process.platform !== "linux")("import-clients --apply, then --undo", () => {
  test.each(clientSamples)("moves the servers of $id, and restores every byte", async ({ id, file, text }) => {
    for (const original of [text, asOnWindows(text)]) {
      const { command, servers, directory } = homeWith(() => ({ [file]: original }));
      const { stdout } = await command("--apply");
      const moved = servers(place)["git"];
      expect(moved).toMatchObject({ command: "uvx", args: ["mcp-server-git"] });
      const changed = readFileSync(path.join(directory, file), "utf8");
      expect(changed).not.toMatch(/mcp-server-git\b(?!hub)/);
      expect(changed).toContain("--config");
      expect(changed.startsWith("\uFEFF")).toBe(original.startsWith("\uFEFF"));
      expect(changed.replaceAll("\r\n", "").includes("\n")).toBe(!original.includes("\r\n"));
      if (id === "goose")
        expect(stdout).toContain("developer, which stays: type: only Goose can run an extension of type builtin");
      if (id === "zed")
        expect(stdout).toContain("mcp-server-github, which stays: only Zed can run it, as an extension");
      expect((await command("--undo")).code).toBe(0);
      expect(readFileSync(path.join(directory, file), "utf8")).toBe(original);
      expect(existsSync(path.join(directory, place))).toBe(false);
    }
  });

  test("converts the fields of Codex", async () => {
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
    const { command, servers } = homeWith(() => ({ ".codex/config.toml": entry }));
    await command("--apply");
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
  ])("names the line of %s that cannot be parsed, and leaves the file", async (file, text, expected) => {
    const { command, read } = homeWith(() => ({ [file]: text }));
    expect((await command("--apply")).stderr).toMatch(expected);
    expect(read(file)).toBe(text);
  });

  test("keeps comments and values of TOML and YAML that are not moved", async () => {
    for (const { id, file, text } of clientSamples.filter(({ id }) => id === "codex" || id === "goose")) {
      const home = homeWith(() => ({ [file]: text }));
      await home.command("--apply", "--only", "git");
      const after = home.read(file);
      const kept = text
        .split("\n")
        .filter((line) => line.startsWith("#") || /model|MODEL|trust_level|bundled|docs/i.test(line));
      for (const line of kept) expect(after.split("\n")).toContain(line);
      expect(() => (id === "codex" ? parseToml : parseYaml)(file, after)).not.toThrow();
    }
  });
});

test("the samples cover every known client", () => {
  expect(clientSamples.map(({ id }) => id)).toEqual(knownClients.map(({ id }) => id));
});
