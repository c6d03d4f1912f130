import { ToolError, type ErrorCode, quoteName } from "@toolpacks/core";

const causes: Readonly<Record<string, readonly [code: ErrorCode, problem: string]>> = {
  ENOENT: ["not_found", "there is no such file or directory"],
  ENOTDIR: ["not_found", "a part of the path is not a directory"],
  EEXIST: ["conflict", "it exists already"],
  ENOTEMPTY: ["conflict", "the directory is not empty"],
  EISDIR: ["invalid_input", "it is a directory"],
  ENAMETOOLONG: ["invalid_input", "the name is too long"],
  EINVAL: ["invalid_input", "the operating system does not accept this path or move"],
  EILSEQ: ["invalid_input", "the name is not valid on this file system"],
  ELOOP: ["denied", "it is a link that must not be followed"],
  EACCES: ["denied", "the operating system does not permit it"],
  EPERM: ["denied", "the operating system does not permit it"],
  ENXIO: ["invalid_input", "it is a device or socket, not a file"],
  EROFS: ["unavailable", "the file system is read-only"],
  ENOSPC: ["unavailable", "the disk is full"],
  EDQUOT: ["unavailable", "the disk quota is used up"],
  EMFILE: ["unavailable", "too many files are open"],
  ENFILE: ["unavailable", "too many files are open"],
  EBUSY: ["unavailable", "it is in use"],
  EIO: ["unavailable", "the disk reports an error"],
};

/**
 * Converts an error of the operating system to a ToolError. Its message names the path as the caller knows it, never the real path. Any other
 * error is returned unchanged.
 */
export function fileError(error: unknown, shown: string): unknown {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const cause = causes[code];
  return cause === undefined ? error : new ToolError(cause[0], `${quoteName(shown)}: ${cause[1]}`);
}

/** Whether this is an error of the operating system with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
