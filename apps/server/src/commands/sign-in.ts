import spawn from "cross-spawn";
import type { Flags } from "../config/settings.ts";
import { prepare } from "../prepare.ts";
import { print, printError } from "../print.ts";
import { upstreamNamed } from "./accept.ts";

/** `toolpacks sign-in <server>`: OAuth in a browser, for a server elsewhere. */
export async function signIn(name: string, flags: Flags & { browser?: boolean }): Promise<void> {
  const prepared = await prepare(flags, { quiet: "error" });
  try {
    const open = (url: URL) => {
      print("Agree on this page:", url.href);
      if (flags.browser !== false) openInBrowser(url);
    };
    await upstreamNamed(prepared, name).signIn(open, (line) => printError(`toolpacks: ${line}`));
    print(`signed in to ${name}`);
  } finally {
    await prepared.finish();
  }
}

/** The page was shown as text already; no browser is no failure. */
function openInBrowser(url: URL): void {
  const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };
  const child = spawn(programs[process.platform] ?? "xdg-open", [url.href], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
