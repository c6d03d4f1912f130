import spawn from "cross-spawn";
import type { Flags } from "../config/settings.ts";
import { prepare } from "../prepare.ts";
import { print } from "../print.ts";
import { upstreamNamed } from "./accept.ts";

/** `toolpacks sign-in <server>`: OAuth in a browser, for a server elsewhere. */
export async function signIn(name: string, flags: Flags & { browser?: boolean }): Promise<void> {
  const prepared = await prepare(flags, { quiet: "error" });
  try {
    await upstreamNamed(prepared, name).signIn((url) => {
      print("Agree on this page:", url.href);
      if (flags.browser !== false) openInBrowser(url);
    });
    print(`signed in to ${name}`);
  } finally {
    await prepared.finish();
  }
}

/** The page was shown as text already; no browser is no failure. */
function openInBrowser(url: URL): void {
  // The server chose the address: a browser alone may be handed it.
  if (url.protocol !== "https:" && url.protocol !== "http:") return;
  const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };
  const child = spawn(programs[process.platform] ?? "xdg-open", [url.href], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
