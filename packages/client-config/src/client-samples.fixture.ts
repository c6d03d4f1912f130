/** A client's file in its real format, below the home folder of a test, with comments and with another server. */
export interface ClientSample {
  readonly id: string;
  readonly file: string;
  readonly text: string;
}

/** Claude's clients write JSON without comments; the editors' files have comments and trailing commas. */
export const clientSamples: readonly ClientSample[] = [
  {
    id: "claude-desktop",
    file: ".config/Claude/claude_desktop_config.json",
    text: `{
  "globalShortcut": "Ctrl+Space",
  "mcpServers": {
    "git": {
      "command": "uvx",
      "args": ["mcp-server-git"],
      "env": { "GIT_TOKEN": "s3cr3t" }
    }
  }
}
`,
  },
  {
    id: "claude-code",
    file: ".claude.json",
    text: `{
  "numStartups": 12,
  "mcpServers": {
    "git": {
      "type": "stdio",
      "command": "uvx",
      "args": [
        "mcp-server-git"
      ],
      "env": {}
    }
  },
  "projects": {
    "/home/me/shop": {
      "allowedTools": [],
      "hasTrustDialogAccepted": true
    }
  }
}`,
  },
  {
    id: "cursor",
    file: ".cursor/mcp.json",
    text: `{
\t"mcpServers": {
\t\t"git": { "command": "uvx", "args": ["mcp-server-git"] }
\t}
}
`,
  },
  {
    id: "vscode",
    file: ".config/Code/User/mcp.json",
    text: `{
	"inputs": [],
	"servers": {
		// the repository
		"git": {
			"type": "stdio",
			"command": "uvx",
			"args": ["mcp-server-git"],
		},
	},
}
`,
  },
  {
    id: "windsurf",
    file: ".codeium/windsurf/mcp_config.json",
    text: `{
  "mcpServers": {
    "git": { "command": "uvx", "args": ["mcp-server-git"], "disabled": false }
  }
}
`,
  },
  {
    id: "zed",
    file: ".config/zed/settings.json",
    text: `// Zed settings
//
// see https://zed.dev/docs/configuring-zed
{
  "buffer_font_size": 15, // large
  "context_servers": {
    // an extension
    "mcp-server-github": { "settings": { "github_personal_access_token": "s3cr3t" } },
    "git": { "command": { "path": "uvx", "args": ["mcp-server-git"], "env": { "GIT_TOKEN": "s3cr3t" } } },
  },
  "vim_mode": true,
}
`,
  },
  {
    id: "copilot",
    file: ".copilot/mcp-config.json",
    text: `{
  "mcpServers": {
    "git": {
      "type": "stdio",
      "command": "uvx",
      "tools": [
        "*"
      ],
      "args": [
        "mcp-server-git"
      ],
      "deferTools": "never"
    }
  }
}
`,
  },
  {
    id: "codex",
    file: ".codex/config.toml",
    text: `# Codex
model = "gpt-5-codex" # the large one
approval_policy = "on-request"

[mcp_servers.git] # the repository
command = "uvx"
args = ["mcp-server-git"]
env_vars = ["HOME"]
startup_timeout_sec = 20.5

[mcp_servers.docs]
url = 'https://docs.example.com/mcp'
http_headers = { "X-Team" = "shop" }
enabled = true

[projects."/home/me/shop"]
trust_level = "trusted"
`,
  },
  {
    id: "gemini",
    file: ".gemini/settings.json",
    text: `{
  "theme": "GitHub", // dark
  "mcpServers": {
    "git": {
      "command": "uvx",
      "args": ["mcp-server-git"],
      "trust": false
    },
    "docs": { "httpUrl": "https://docs.example.com/mcp" }
  },
  "selectedAuthType": "gemini-api-key"
}
`,
  },
  {
    id: "goose",
    file: ".config/goose/config.yaml",
    text: `# Goose
GOOSE_PROVIDER: openai
GOOSE_MODEL: gpt-4.1 # cheap
extensions:
  developer:
    enabled: true
    type: builtin
    name: developer
    display_name: Developer
    timeout: 300
    bundled: true
  git: # the repository
    enabled: true
    type: stdio
    name: git
    cmd: uvx
    args:
      - mcp-server-git
    envs: {}
    env_keys: []
    timeout: 300
OPENAI_HOST: https://api.openai.com
`,
  },
];

/** The same text with the line breaks of Windows and a byte order mark. */
export function asOnWindows(text: string): string {
  return `\uFEFF${text.replaceAll("\n", "\r\n")}`;
}
