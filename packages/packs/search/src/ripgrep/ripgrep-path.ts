import { ToolError } from "@toolpacks/core";

/** Where the ripgrep binary is, which comes in a package for each platform. */
export async function ripgrepPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (cause) {
    const missing = new ToolError(
      "unavailable",
      "ripgrep is not installed where this server runs",
      "Whoever runs the server can install it beside the server: npm install @vscode/ripgrep.",
    );
    throw Object.assign(missing, { cause });
  }
}
