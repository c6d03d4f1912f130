import { ToolError } from "@toolpacks/core";

/** The path of the ripgrep binary, which a package for each platform contains. */
export async function ripgrepPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (cause) {
    const missing = new ToolError(
      "unavailable",
      "ripgrep is not installed where this server runs",
      "The user can install it with the server: npm install @vscode/ripgrep.",
    );
    throw Object.assign(missing, { cause });
  }
}
