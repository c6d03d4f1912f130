import { existsSync, statSync } from "node:fs";

/** A program that cannot be started, or that ended before it spoke MCP. */
export class StartError extends Error {
  /** How to fix it. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The problem with the working directory of a program. */
export function folderError(folder: string): StartError | undefined {
  const hint = "Correct cwd in the server's block, or create the folder.";
  if (!existsSync(folder)) return new StartError(`cwd: the folder ${folder} does not exist`, hint);
  return statSync(folder).isDirectory() ? undefined : new StartError(`cwd: ${folder} is not a folder`, hint);
}

/** Converts an error of the operating system to one that names the cause. */
export function spawnError(command: string, error: NodeJS.ErrnoException): Error {
  const isPath = /[\\/]/.test(command);
  switch (error.code) {
    case "ENOENT":
      if (isPath && existsSync(command)) {
        return new StartError(
          `the interpreter of ${command} was not found`,
          "Install the program that its first line names, or correct that line.",
        );
      }
      return new StartError(
        `command not found: ${command}`,
        isPath ? "Correct the path in command." : "Install it, or write its full path in command.",
      );
    case "EACCES":
    case "EPERM":
      return new StartError(
        `permission denied: ${command} cannot be executed`,
        "Make it executable with chmod +x, or name its interpreter in command and the file in args.",
      );
    case "ENOEXEC":
      return new StartError(
        `${command} is not a program that this machine can execute`,
        "Name its interpreter in command and the file in args.",
      );
    default:
      return error;
  }
}
