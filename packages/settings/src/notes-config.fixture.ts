import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import type { ConfigDefinition } from "./config-definition.ts";
import { oneOf, splitNames, type SettingSources } from "./load-settings.ts";
import { ignore, keep, keepEntries, keepIf } from "./untrusted-rules.ts";

/** The config file of an imagined program `notes`. */
const configSchema = z.strictObject({
  tags: z.array(z.string().min(1)).optional(),
  write: z.boolean().optional(),
  logLevel: z.enum(["info", "silent"]).optional(),
  folder: z.string().optional(),
  limits: z.strictObject({ bytes: z.int().min(200).optional(), items: z.int().optional() }).optional(),
  mode: z.union([z.literal(1), z.literal(2)]).optional(),
  servers: z.record(z.string(), z.union([z.boolean(), z.record(z.string(), z.unknown())])).optional(),
});

type NotesConfig = z.output<typeof configSchema>;

const sources = {
  tags: { variable: splitNames, fallback: undefined },
  write: { fallback: false },
  logLevel: { variable: oneOf(["info", "silent"]), fallback: "info" },
  folder: {
    flag: "in",
    variable: (text) => text,
    resolve: (folder, base) => path.resolve(base, folder),
    problem: (folder) => (folder.endsWith("x") ? "expected another folder" : undefined),
    fallback: undefined,
  },
  mode: { fallback: 2 },
} as const satisfies SettingSources<NotesConfig>;

export const notesConfig: ConfigDefinition<NotesConfig> & { readonly sources: typeof sources } = {
  name: "notes",
  schema: async () => configSchema,
  maxEntries: { servers: 200 },
  rules: {
    tags: keep,
    write: keepIf((write) => !write),
    logLevel: keep,
    folder: ignore,
    limits: keep,
    mode: ignore,
    servers: keepEntries((_, options) => options === false),
  },
  agreedFacts: ({ config, directory }) =>
    config.folder !== undefined && realPath(path.resolve(directory, config.folder)),
  sources,
};

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** Creates a temporary folder with these files. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "settings-")));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
  return directory;
}
