import { isObject } from "@toolpacks/core";

/** A server in a file: an entry of a client, or a block of `mcpServers`. */
export type Block = Readonly<Record<string, unknown>>;

/** A program and its arguments. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/** How a client writes a server in its config file. */
export interface EntryFormat {
  /** Converts an entry to a block of `mcpServers`. @throws Error for an entry that only its client can run */
  readonly toBlock: (entry: Block) => Block;
  /** Creates the entry of a server on stdio. */
  readonly create: (name: string, line: CommandLine) => Block;
  /** Key paths of the command and of its arguments in an entry. */
  readonly keys: (entry: Block) => { readonly command: readonly string[]; readonly args: readonly string[] };
}

const keys = () => ({ command: ["command"], args: ["args"] });

export const commonEntries: EntryFormat = {
  toBlock: (entry) => entry,
  create: (_, { command, args }) => ({ command, args }),
  keys,
};

/** Entries that name their transport. */
export const typedEntries: EntryFormat = {
  toBlock: (entry) => entry,
  create: (_, { command, args }) => ({ type: "stdio", command, args }),
  keys,
};

/** Copilot CLI: `tools` with `*` stands for all. */
export const copilotEntries: EntryFormat = {
  ...typedEntries,
  toBlock: ({ tools, ...entry }) =>
    definedOf({ ...entry, tools: Array.isArray(tools) && tools.includes("*") ? undefined : tools }),
};

/** Zed: older entries have an object with `path`, `args` and `env` as `command`. Entries without a command belong to its extensions. */
export const zedEntries: EntryFormat = {
  toBlock(entry) {
    const { command, args, env, url, headers, enabled } = entry;
    if (isObject(command)) return definedOf({ command: command["path"], args: command["args"], env: command["env"] });
    if (command === undefined && url === undefined) throw new Error("only Zed can run it, as an extension");
    return definedOf({ command, args, env, url, headers, enabled });
  },
  create: (_, { command, args }) => ({ command, args, env: {} }),
  keys: ({ command }) => (isObject(command) ? { command: ["command", "path"], args: ["command", "args"] } : keys()),
};

export const codexEntries: EntryFormat = {
  toBlock(entry) {
    const { command, args, env, cwd, url, enabled } = entry;
    const milliseconds = entry["startup_timeout_ms"];
    return definedOf({
      command,
      args,
      env: mergeTexts(env, namedVariables(entry["env_vars"])),
      cwd,
      url,
      enabled,
      headers: codexHeaders(entry),
      oauth: codexOauth(entry),
      connectSeconds:
        entry["startup_timeout_sec"] ?? (typeof milliseconds === "number" ? milliseconds / 1_000 : undefined),
      timeoutSeconds: entry["tool_timeout_sec"],
      enabledTools: entry["enabled_tools"],
      disabledTools: entry["disabled_tools"],
    });
  },
  create: (_, { command, args }) => ({ command, args }),
  keys,
};

/** The variables of Codex that an entry passes on by name. */
function namedVariables(variables: unknown): Block | undefined {
  if (!Array.isArray(variables)) return undefined;
  const names = variables.map((one: unknown) => {
    if (!isObject(one)) return String(one);
    if (one["source"] === "remote") throw new Error("env_vars: only Codex can read a remote variable");
    return String(one["name"]);
  });
  return Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
}

function codexHeaders(entry: Block): Block | undefined {
  const { bearer_token_env_var: token, env_http_headers: named, http_headers: headers } = entry;
  return mergeTexts(
    headers,
    isObject(named) ? Object.fromEntries(Object.entries(named).map(([key, name]) => [key, `\${${String(name)}}`])) : {},
    typeof token === "string" ? { Authorization: `Bearer \${${token}}` } : {},
  );
}

function codexOauth({ oauth, scopes }: Block): Block | undefined {
  const clientId = isObject(oauth) ? oauth["client_id"] : undefined;
  return clientId === undefined && scopes === undefined ? undefined : definedOf({ clientId, scopes });
}

/** Goose: the types of its own extensions, such as `builtin` and `platform`, run only in Goose. */
export const gooseEntries: EntryFormat = {
  toBlock(entry) {
    const { type, cmd, args, envs, env_keys: secrets, uri, headers, enabled, timeout, available_tools: tools } = entry;
    if (Array.isArray(secrets) && secrets.length > 0) throw new Error("env_keys: only Goose can read its secrets");
    const onlyTools = Array.isArray(tools) && tools.length > 0 ? (tools as unknown[]) : undefined;
    const common = { enabled, timeoutSeconds: timeout, onlyTools };
    if (type === "stdio") return definedOf({ ...common, command: cmd, args, env: envs });
    if (type === "sse") return definedOf({ ...common, type, url: uri, headers });
    if (type === "streamable_http") return definedOf({ ...common, url: uri, headers, env: envs });
    throw new Error(`type: only Goose can run an extension of type ${String(type)}`);
  },
  create: (name, { command, args }) => ({
    enabled: true,
    type: "stdio",
    name,
    description: "Tool packs behind a short tool list",
    cmd: command,
    args,
    envs: {},
    env_keys: [],
    timeout: 300,
  }),
  keys: () => ({ command: ["cmd"], args: ["args"] }),
};

/** Without the fields that are not set, which files write as null too. */
function definedOf(fields: Block): Block {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function mergeTexts(...parts: readonly unknown[]): Block | undefined {
  const merged = Object.assign({}, ...parts.filter(isObject)) as Block;
  return Object.keys(merged).length === 0 ? undefined : merged;
}
