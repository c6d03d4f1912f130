import path from "node:path";
import { ConfigurationError, errorText, isObject, type JsonSchema } from "@toolpacks/core";
import { readStdin } from "@toolpacks/command-line";
import { readRegularFile } from "@toolpacks/files";
import { type Io, printError } from "@toolpacks/terminal";
import { setArgument, type ArgumentPair } from "./argument-pairs.ts";

/** The arguments of a call as a command line gives them. */
export interface CallArguments {
  /** The value that is given as JSON. Default: an empty object. */
  readonly json: unknown;
  /** `path=README.md`, in order. They are added to the value of `json`. */
  readonly pairs: readonly ArgumentPair[];
}

/** Maximum bytes of arguments from stdin or a file, as of a message. */
const maxBytes = 64 * 1_048_576;

/**
 * Reads the words after `toolpacks call <tool>`: `path=README.md`, `limit:=5`, JSON, `@file` or `-` for stdin.
 *
 * @throws ConfigurationError that names the word and the accepted forms
 */
export async function readCallArguments(io: Io, words: readonly string[]): Promise<CallArguments> {
  const json: unknown[] = [];
  const pairs: ArgumentPair[] = [];
  for (const word of words) {
    if (word === "-") json.push(readJsonText(await readArgumentText(io), "stdin"));
    else if (word.startsWith("@")) json.push(readJsonText(readFile(io, word.slice(1)), word.slice(1)));
    else if (/^\s*[[{"]/.test(word)) json.push(readJsonText(word, "args"));
    else pairs.push(readPair(word));
  }
  if (json.length > 1) throw new ConfigurationError(`call: expected JSON, @file or - once, received ${json.length}`);
  const value = json.length === 0 ? {} : json[0];
  if (pairs.length > 0 && !isObject(value))
    throw new ConfigurationError("call: expected a JSON object beside key=value");
  return { json: value, pairs };
}

/** Builds the arguments of a call. The input schema of the tool gives the types of the pairs. */
export function buildCallArguments({ json, pairs }: CallArguments, schema: JsonSchema | undefined): unknown {
  if (pairs.length === 0 || !isObject(json)) return json;
  const args = structuredClone(json);
  const seen = new Set<string>();
  for (const pair of pairs) {
    setArgument(args, pair, { schema: schema ?? {}, isRepeated: seen.has(pair.key) });
    seen.add(pair.key);
  }
  return args;
}

export function readPair(word: string): ArgumentPair {
  const [, key = "", operator, text = ""] = /^([^=]*?)(:?=)([\s\S]*)$/.exec(word) ?? [];
  if (operator === undefined || key === "") {
    throw new ConfigurationError(
      `call: unexpected "${word}"; expected key=value such as path=README.md, key:=<json>, JSON, @file, or - for stdin`,
    );
  }
  return operator === ":=" ? { key, json: readJsonText(text, key) } : { key, text };
}

export function readJsonText(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ConfigurationError(`call: ${place}: expected JSON (${errorText(error)})`);
  }
}

function readFile({ cwd }: Io, file: string): string {
  try {
    return readRegularFile(path.resolve(cwd, file), maxBytes)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  } catch (error) {
    throw new ConfigurationError(`call: ${file}: cannot be read (${errorText(error)})`);
  }
}

/** Reads the arguments from stdin, and says so on a terminal. */
export async function readArgumentText(io: Io): Promise<string> {
  if (io.stdin.isTTY === true) printError(io, "reading the arguments from stdin; end them with Ctrl-D");
  return readStdin(io, maxBytes);
}
