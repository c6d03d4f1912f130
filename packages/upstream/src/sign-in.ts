import { createServer, type Server } from "node:http";
import { auth } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { boundedFetch } from "@toolpacks/core/bounded-io";
import { signsIn } from "./authorization.ts";
import { describe } from "./failure.ts";
import { oauthProvider } from "./oauth-provider.ts";
import type { RemotePlan } from "./options.ts";

export interface SignInOptions {
  readonly dataDirectory: string;
  /** Shows a person the page on which they agree. */
  readonly open: (url: URL) => void | Promise<void>;
  /** How long they may take. Default five minutes. */
  readonly timeoutMs?: number;
}

const mostBytes = 1_000_000;

/**
 * Signs in to a server: a person agrees in a browser, which comes back to a port of this machine.
 *
 * @throws ToolError `invalid_input` where a token is given in place of it, `unavailable` when the server knows no OAuth, nobody agrees in time, or what comes back is not what was asked for
 */
export async function signIn(plan: RemotePlan, options: SignInOptions): Promise<void> {
  const { dataDirectory, open, timeoutMs = 300_000 } = options;
  if (!signsIn(plan)) {
    throw new ToolError(
      "invalid_input",
      `${plan.name}: its token is given, in auth or headers, and no sign-in would be used`,
    );
  }
  let address: URL | undefined;
  const provider = oauthProvider(plan, dataDirectory, (url) => void (address = url));
  const fetchFn = boundedFetch({ maxBytes: mostBytes });
  const callback = await listen(new URL(provider.redirectUrl), provider.expectedState);
  try {
    await provider.alone(() => auth(provider, { serverUrl: plan.url, fetchFn, forceReauthorization: true }));
    if (address === undefined) return;
    await open(address);
    const { code, iss } = await inTime(callback.answer, timeoutMs);
    const answer = { authorizationCode: code, ...(iss !== null && { iss }) };
    await provider.alone(() => auth(provider, { serverUrl: plan.url, fetchFn, ...answer }));
  } catch (error) {
    if (ToolError.is(error)) throw error;
    throw new ToolError("unavailable", `${plan.name}: the sign-in failed: ${describe(error)}`);
  } finally {
    callback.server.close();
    callback.server.closeAllConnections();
  }
}

interface Answer {
  readonly code: string;
  readonly iss: string | null;
}

interface Callback {
  readonly server: Server;
  readonly answer: Promise<Answer>;
}

async function listen(place: URL, state: string): Promise<Callback> {
  let settle: (answer: Answer) => void = () => {};
  let refuse: (error: Error) => void = () => {};
  const answer = new Promise<Answer>((resolve, reject) => {
    settle = resolve;
    refuse = reject;
  });
  // It is waited for only once the person has been asked.
  answer.catch(() => {});
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", place);
    // Any page may call this port; the state tells ours.
    const isOurs = pathname === place.pathname && searchParams.get("state") === state;
    const code = searchParams.get("code");
    response.writeHead(isOurs ? 200 : 404, { "content-type": "text/plain; charset=utf-8" });
    response.end(isOurs ? "You can close this page and go back.\n" : "There is nothing here.\n");
    if (!isOurs) return;
    if (code !== null) settle({ code, iss: searchParams.get("iss") });
    else refuse(new Error(searchParams.get("error_description") ?? searchParams.get("error") ?? "no code came back"));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new ToolError(
          "unavailable",
          `port ${place.port}, which the browser comes back to, cannot be used: ${error.message}`,
          "Set auth.oauth.callbackPort to another.",
        ),
      ),
    );
    server.listen(Number(place.port), place.hostname, resolve);
  });
  return { server, answer };
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("nobody agreed in time")), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
