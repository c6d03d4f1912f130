import { ToolError, type ErrorCode } from "@toolpacks/core";

const causes: Readonly<Record<string, readonly [code: ErrorCode, cause: string]>> = {
  ENOENT: ["not_found", "there is no such file or folder"],
  ENOTDIR: ["not_found", "a part of its path is not a folder"],
  EISDIR: ["invalid_input", "it is a folder"],
  EACCES: ["denied", "access to it is not permitted"],
  EPERM: ["denied", "access to it is not permitted"],
  EROFS: ["denied", "its disk is read-only"],
  ENOSPC: ["unavailable", "the disk is full"],
  EDQUOT: ["unavailable", "the disk is full"],
};

/** Converts a file system error to a ToolError with a readable message. Other errors are returned unchanged. */
export function fileError(error: unknown, file: string): unknown {
  const found = error instanceof Error && "code" in error ? causes[String(error.code)] : undefined;
  if (found === undefined) return error;
  const [code, cause] = found;
  const failure = new ToolError(code, `${file}: ${cause}`);
  failure.cause = error;
  return failure;
}
