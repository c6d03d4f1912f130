import { isDeepStrictEqual } from "node:util";
import type { ReadBlock } from "@toolpacks/upstream/server-block";

type Options = ReadBlock["options"];

/** The options that decide which server is started or reached, and as whom. */
const identity = new Set(["command", "args", "env", "cwd", "url", "headers", "transport", "auth"]);

/** Whether a block in our config file is the same server as a client's, also if the user has edited its other options there. */
export function isSameServer(ours: Options, theirs: Options): boolean {
  const options = ours as Readonly<Record<string, unknown>>;
  const isSame = ([name, value]: readonly [string, unknown]) =>
    isDeepStrictEqual(options[name], value) || (!identity.has(name) && isSet(options[name]));
  return Object.entries({ ...Object.fromEntries([...identity].map((name) => [name, undefined])), ...theirs }).every(
    isSame,
  );
}

/** An option that limits tools and that only the client has must not be lost. */
function isSet(value: unknown): boolean {
  return value !== undefined && !isDeepStrictEqual(value, {});
}
