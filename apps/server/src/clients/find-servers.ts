import { existsSync, readFileSync } from "node:fs";
import { parseJsonc } from "../config/parse-jsonc.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { clientFiles, type ClientFile } from "./client-files.ts";

export type Block = Readonly<Record<string, unknown>>;

/** A server in a client's file. */
export interface FoundServer {
  readonly name: string;
  readonly block: Block;
  /** Why it stays where it is. */
  readonly stays?: string;
}

/** A client's file with servers in it. */
export interface FoundFile extends ClientFile {
  readonly servers: readonly FoundServer[];
}

/** Reads the servers of every known client. A file that is not JSON is named and passed over. */
export function findServers(project: string, tellProblem: (problem: string) => void): readonly FoundFile[] {
  return clientFiles(project).flatMap((file) => {
    if (!existsSync(file.path)) return [];
    try {
      const servers = readServers(file);
      return servers.length === 0 ? [] : [{ ...file, servers }];
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      tellProblem(error.message);
      return [];
    }
  });
}

function readServers({ path, at }: ClientFile): readonly FoundServer[] {
  const whole = parseJsonc(path, readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  const blocks = at.reduce((value: unknown, key) => asBlock(value)?.[key], whole);
  return Object.entries(asBlock(blocks) ?? {}).flatMap(([name, value]) => {
    const block = asBlock(value);
    return block === undefined ? [] : [toFound(name, block)];
  });
}

function toFound(name: string, given: Block): FoundServer {
  const { serverUrl, ...rest } = given;
  // Windsurf's word for it.
  const block = typeof serverUrl === "string" && rest["url"] === undefined ? { ...rest, url: serverUrl } : given;
  const text = JSON.stringify(block);
  if (isOurs(block)) return { name, block, stays: "it is toolpacks already" };
  if (text.includes("${input:"))
    return { name, block, stays: "it asks its user for an input, which only its editor can" };
  if (text.includes("${workspaceFolder")) return { name, block, stays: "it names the folder of its editor's window" };
  const isServer = typeof block["command"] === "string" || typeof block["url"] === "string";
  return isServer ? { name, block } : { name, block, stays: "it has neither command nor url" };
}

/** Started by our name, through npx or not, or by the path of our program. */
function isOurs({ command, args }: Block): boolean {
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return words.some((word) => typeof word === "string" && /(^|[\\/])toolpacks(@[^\\/]*)?($|[\\/])/.test(word));
}

function asBlock(value: unknown): Block | undefined {
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject ? (value as Block) : undefined;
}
