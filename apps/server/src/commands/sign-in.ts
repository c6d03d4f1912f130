import spawn from "cross-spawn";
import { type Io, print, printError } from "@toolpacks/terminal";
import { createRuntime } from "../mount/runtime.ts";
import { storeDriver } from "../stores/open-store.ts";
import { findUpstream, type CallerFlags } from "./accept.ts";

/** `toolpacks sign-in <server>`: signs in to a remote server with OAuth in a browser. */
export async function signIn(io: Io, flags: CallerFlags & { browser?: boolean }, name: string): Promise<void> {
  const runtime = await createRuntime(flags, { io, quiet: "error", caller: flags.caller });
  try {
    const { settings } = runtime;
    // A shared store keeps sign-ins encrypted. The key must be there before the user agrees in the browser.
    if (storeDriver(settings.store).isShared)
      (await import("@toolpacks/upstream/shared-state")).openSecretBox(settings.io.env);
    const open = (url: URL) => {
      print(io, "Sign in on this page:", url.href);
      if (flags.browser !== false) openInBrowser(url);
    };
    await findUpstream(runtime, name, flags.caller).signIn(open, (line) => printError(io, `toolpacks: ${line}`));
    print(io, `signed in to ${name}${flags.caller === undefined ? "" : ` for ${flags.caller}`}`);
  } finally {
    await runtime.finish();
  }
}

/** Opens a page in the browser. Errors are ignored: the address was printed already. */
function openInBrowser(url: URL): void {
  const programs: Partial<Record<NodeJS.Platform, string>> = { darwin: "open", win32: "explorer" };
  const child = spawn(programs[process.platform] ?? "xdg-open", [url.href], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
