import { createServer, type Server } from "node:http";
import { auth } from "@modelcontextprotocol/client";
import { ToolError, withTimeout } from "@toolpacks/core";
import { boundedFetch } from "@toolpacks/bounded-io";
import { usesSignIn } from "./authorization.ts";
import { describe } from "./failure.ts";
import { oauthProvider, type SignInProvider } from "./oauth-provider.ts";
import type { RemotePlan } from "./options.ts";
import type { RemoteState } from "./remote-state.ts";
import { signInFetch } from "./sign-in-fetch.ts";

export interface SignInOptions {
  /** Stores the tokens. */
  readonly state: RemoteState;
  /** Shows the authorization page to the user. */
  readonly open: (url: URL) => void | Promise<void>;
  /** Time allowed for the user to agree. Default five minutes. */
  readonly timeoutMs?: number;
  /** Called with a line that names the server when it is slow to respond. */
  readonly notify?: ((line: string) => void) | undefined;
  /** Time before `notify` is called. Default 2 s. */
  readonly noticeMs?: number;
  /** Timeout of the servers before and after the page. Default 15 s each. */
  readonly responseTimeoutMs?: number;
}

const maxResponseBytes = 1_000_000;

/**
 * Signs in to a server: the user agrees in a browser, which then calls a port of this machine.
 *
 * @throws ToolError `invalid_input` when a token is configured; `unavailable` when the server has no OAuth, does not respond, or the sign-in times out or fails
 */
export async function signIn(plan: RemotePlan, options: SignInOptions): Promise<void> {
  const { state, open, timeoutMs = 300_000 } = options;
  if (!usesSignIn(plan)) {
    throw new ToolError(
      "invalid_input",
      `${plan.name}: its token is configured in auth or headers, so a sign-in would not be used`,
    );
  }
  let address: URL | undefined;
  const provider = oauthProvider(plan, state, (url) => void (address = url));
  const callback = await listen(new URL(provider.redirectUrl), provider.expectedState);
  try {
    await provider.discardUnreadable();
    await authorize({ plan, provider, options }, { forceReauthorization: true });
    if (address === undefined) return;
    // The server chose this address, and a browser would open any scheme.
    if (address.protocol !== "https:" && address.protocol !== "http:") {
      throw new Error(`the sign-in page has the protocol ${address.protocol}; expected http: or https:`);
    }
    await open(address);
    const { code, iss } = await waitFor(callback.answer, timeoutMs, () => "for the user to agree");
    await authorize({ plan, provider, options }, { authorizationCode: code, iss });
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
  readonly iss?: string | undefined;
}

interface Callback {
  readonly server: Server;
  readonly answer: Promise<Answer>;
}

async function listen(callbackUrl: URL, state: string): Promise<Callback> {
  const { promise: answer, resolve: settle, reject: refuse } = Promise.withResolvers<Answer>();
  // Prevents an unhandled rejection: it is awaited later.
  answer.catch(() => {});
  const server = createServer((request, response) => {
    const { pathname, searchParams } = URL.parse(request.url ?? "/", callbackUrl.href) ?? new URL("/", callbackUrl);
    // Any web page can call this port. The state identifies our request.
    const isOurs = pathname === callbackUrl.pathname && searchParams.get("state") === state;
    const code = searchParams.get("code");
    response.writeHead(isOurs ? 200 : 404, { "content-type": "text/plain; charset=utf-8" });
    response.end(isOurs ? "You can close this page and go back.\n" : "There is nothing here.\n");
    if (!isOurs) return;
    const problem = searchParams.get("error_description") ?? searchParams.get("error") ?? "the callback had no code";
    if (code === null) refuse(new Error(problem));
    else settle({ code, iss: searchParams.get("iss") ?? undefined });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", ({ message }) => {
      const problem = `port ${callbackUrl.port} of the sign-in's callback cannot be used: ${message}`;
      reject(new ToolError("unavailable", problem, "Set auth.oauth.callbackPort to another."));
    });
    server.listen(Number(callbackUrl.port), callbackUrl.hostname, resolve);
  });
  return { server, answer };
}

interface SignInAttempt {
  readonly plan: RemotePlan;
  readonly provider: SignInProvider;
  readonly options: SignInOptions;
}

type AuthorizationStep = Pick<Parameters<typeof auth>[1], "authorizationCode" | "forceReauthorization" | "iss">;

/** One step of the sign-in, with a timeout. It notifies which server it waits for. */
async function authorize({ plan, provider, options }: SignInAttempt, step: AuthorizationStep): Promise<void> {
  const { notify, noticeMs = 2_000, responseTimeoutMs = 15_000 } = options;
  const controller = new AbortController();
  const bounded = signInFetch(plan, boundedFetch({ maxBytes: maxResponseBytes }));
  let target = plan.url;
  const fetchFn = (url: string | URL, init?: RequestInit) => {
    target = String(url);
    return bounded(url, { ...init, signal: controller.signal });
  };
  const what = () => `for a response of ${new URL(target).origin}`;
  const notice = setTimeout(() => notify?.(`waiting ${what()}`), noticeMs);
  try {
    const work = provider.withLock(() => auth(provider, { serverUrl: plan.url, fetchFn, ...step }));
    await waitFor(work, responseTimeoutMs, what);
  } finally {
    clearTimeout(notice);
    controller.abort();
  }
}

function waitFor<T>(work: Promise<T>, ms: number, what: () => string): Promise<T> {
  const onTimeout = () => {
    throw new Error(`timed out after ${ms / 1_000} s waiting ${what()}`);
  };
  return withTimeout(work, { ms, onTimeout });
}
