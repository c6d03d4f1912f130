import { createProtection } from "../../files/src/protection.ts";
import { describe, expect, test } from "vitest";
import { clientFiles, knownClients, userFileOf } from "./known-clients.ts";

const linux = { platform: "linux", home: "/home/me", project: "/home/me/shop" } as const;
const mac = { platform: "darwin", home: "/Users/me", project: "/Users/me/shop" } as const;
const windows = { platform: "win32", home: "C:\\Users\\me", project: "C:\\shop" } as const;
const appData = { APPDATA: "C:\\Users\\me\\AppData\\Roaming" };

describe("the user's file of each client", () => {
  test.each([
    [
      linux,
      {},
      [
        "/home/me/.config/Claude/claude_desktop_config.json",
        "/home/me/.claude.json",
        "/home/me/.cursor/mcp.json",
        "/home/me/.config/Code/User/mcp.json",
        "/home/me/.codeium/windsurf/mcp_config.json",
        "/home/me/.config/zed/settings.json",
        "/home/me/.copilot/mcp-config.json",
        "/home/me/.codex/config.toml",
        "/home/me/.gemini/settings.json",
        "/home/me/.config/goose/config.yaml",
      ],
    ],
    [
      mac,
      {},
      [
        "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
        "/Users/me/.claude.json",
        "/Users/me/.cursor/mcp.json",
        "/Users/me/Library/Application Support/Code/User/mcp.json",
        "/Users/me/.codeium/windsurf/mcp_config.json",
        "/Users/me/.config/zed/settings.json",
        "/Users/me/.copilot/mcp-config.json",
        "/Users/me/.codex/config.toml",
        "/Users/me/.gemini/settings.json",
        "/Users/me/.config/goose/config.yaml",
      ],
    ],
    [
      windows,
      appData,
      [
        "C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
        "C:\\Users\\me\\.claude.json",
        "C:\\Users\\me\\.cursor\\mcp.json",
        "C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json",
        "C:\\Users\\me\\.codeium\\windsurf\\mcp_config.json",
        "C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json",
        "C:\\Users\\me\\.copilot\\mcp-config.json",
        "C:\\Users\\me\\.codex\\config.toml",
        "C:\\Users\\me\\.gemini\\settings.json",
        "C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
      ],
    ],
  ])("is where its client reads it: %j", (place, environment, expected) => {
    const folders = { ...place, environment };
    expect(knownClients.map((client) => userFileOf(client, folders).path)).toEqual(expected);
  });

  test("follows the clients' variables, and a relative one does not lead into the project", () => {
    const environment = {
      CLAUDE_CONFIG_DIR: "/x/claude",
      CODEX_HOME: "codex",
      COPILOT_HOME: "/x/copilot",
      GEMINI_CLI_HOME: "/x",
      XDG_CONFIG_HOME: "/c",
    };
    const files = clientFiles({ ...linux, environment }).map((file) => file.path);
    for (const file of [
      "/x/claude/.claude.json",
      "/home/me/codex/config.toml",
      "/x/copilot/mcp-config.json",
      "/x/.gemini/settings.json",
      "/c/zed/settings.json",
    ]) {
      expect(files).toContain(file);
    }
    expect(files).toContain("/home/me/shop/.codex/config.toml");
  });
});

const projectFiles = knownClients.flatMap(({ projectFile }) => (projectFile === undefined ? [] : [projectFile]));

test.each(projectFiles.map((parts) => parts.join("/")))("the file tools do not write %s of a project", async (file) => {
  const absolute = `${linux.project}/${file}`;
  const check = createProtection().check({ lexical: absolute, real: absolute, shown: file }, "write");
  await expect(check).rejects.toMatchObject({ code: "denied" });
});
