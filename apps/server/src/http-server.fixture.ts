import type { Surface } from "@toolpacks/surface";
import type { Authenticator } from "./access/authenticator.ts";
import { resolveHttp } from "./config/resolve-http.ts";
import { localPrincipal } from "./hosts/host.ts";
import { httpHost, type RunningHttpHost } from "./hosts/http/http-host.ts";
import { replaceableSurface } from "./hosts/replaceable-surface.ts";
import { folder, start, type Running } from "./command.fixture.ts";

/** A server process that serves HTTP. */
export interface HttpServerProcess {
  /** Address of the MCP endpoint. */
  readonly url: string;
  readonly pid: number;
  readonly output: Running["output"];
  /** Ends the process. Resolves to its exit code. */
  close(): Promise<number | null>;
}

/** Starts the built server over HTTP. Resolves to the address that it logs. */
export async function startHttp(args: readonly string[]): Promise<HttpServerProcess> {
  const { child, output, ended } = start(["--http", "--port", "0", ...args], folder());
  const endWithTests = () => child.kill("SIGKILL");
  process.once("exit", endWithTests);
  void ended.then(() => process.off("exit", endWithTests));
  const url = await Promise.race([
    ended.then(() => Promise.reject(new Error(`the server ended: ${output.stderr}`))),
    new Promise<string>((resolve) => {
      child.stderr.on("data", () => {
        const address = /serving (http:\S+);/.exec(output.stderr)?.[1];
        if (address !== undefined) resolve(address);
      });
    }),
  ]);
  return {
    url,
    pid: child.pid ?? 0,
    output,
    close() {
      child.kill();
      return ended;
    },
  };
}

const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {}, child: () => log };

/** Serves a surface over HTTP to callers with this token. */
export function serveHttp(surface: Surface, token: string): Promise<RunningHttpHost> {
  const authenticator: Authenticator = {
    authenticate: async ({ authorization }) =>
      [authorization].flat()[0] === `Bearer ${token}`
        ? { principal: localPrincipal, auth: undefined }
        : { status: 401, challenge: "Bearer", message: "the request needs a valid token" },
    watch: () => () => {},
    close: async () => {},
  };
  const settings = resolveHttp({ flags: { port: "0" }, directory: "/", file: undefined }).value;
  const readiness = { problem: async () => undefined };
  const host = httpHost({ settings, version: "0.0.0", log, readiness, authenticator });
  const { served } = replaceableSurface(surface, { mayChange: false });
  return host.start(async () => served);
}
