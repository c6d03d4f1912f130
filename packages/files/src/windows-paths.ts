import { ToolError, quoteName } from "@toolpacks/core";

/** Names of devices. Windows opens the device for any of them, in every folder, with any extension. */
const device = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$) *(?:\.|$)/i;

const unusable = /[<>:"|?*\p{Cc}]/u;

/**
 * Why Windows does not keep a name as it is. It removes dots and spaces at the end, opens a device, or opens another stream of a file: all are
 * other names for a file, which would pass the check of protected names.
 */
export function nameProblem(name: string): string | undefined {
  if (device.test(name)) return "expected another name, Windows reserves this one for a device";
  const [character] = unusable.exec(name) ?? [];
  if (character !== undefined)
    return `expected a name without ${JSON.stringify(character)}, which Windows does not allow`;
  if (/[. ]$/.test(name)) return "expected a name without a dot or space at the end, which Windows removes";
  return undefined;
}

/**
 * Removes the prefix of a long path: `\\?\C:\data` is `C:\data`, and `\\?\UNC\server\share` is `\\server\share`.
 *
 * @throws ToolError `denied` for any other path of a device or volume
 */
export function plainPath(input: string): string {
  const text = input.replaceAll("/", "\\");
  if (!/^\\[\\?][.?]\\/.test(text)) return input;
  const [, drive, share] = /^\\\\\?\\(?:([a-z]:\\.*)|UNC\\(.+))$/is.exec(text) ?? [];
  if (drive !== undefined) return drive;
  if (share !== undefined) return `\\\\${share}`;
  throw new ToolError("denied", `${quoteName(input)}: expected a path of a file, this is a path of a device`);
}
