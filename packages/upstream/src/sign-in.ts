import { createServer, type Server } from "node:http";
import { auth } from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { boundedFetch } from "@toolpacks/core/bounded-io";
import { signsIn } from "./authorization.ts";
import { describe } from "./failure.ts";
import { oauthProvider, type SignInProvider } from "./oauth-provider.ts";
import type { RemotePlan } from "./options.ts";

export interface SignInOptions {
  readonly dataDirectory: string;
  /** Shows a person the page on which they agree. */
  readonly open: (url: URL) => void | Promise<void>;
  /** How long they may take. Default five minutes. */
  readonly timeoutMs?: number;
  /** Gets a line that says which server is waited for, when it is slow to respond. */
  readonly notify?: ((line: string) => void) | undefined;
  /** How long a server may be silent before `notify`. Default 2 s. */
  readonly noticeMs?: number;
  /** How long the servers may take before and after the page. Default 15 s each. */
  readonly responseTimeoutMs?: number;
}

const maxResponseBytes = 1_000_000;

/**
 * Signs in to a server: a person agrees in a browser, which comes back to a port of this machine.
 *
 * @throws ToolError `invalid_input` where a token is given in place of it, `unavailable` when the server knows no OAuth or does not respond, nobody agrees in time, or what comes back is not what was asked for
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
  const callback = await listen(new URL(provider.redirectUrl), provider.expectedState);
  try {
    await authorize({ plan, provider, options, authorization: { forceReauthorization: true } });
    if (address === undefined) return;
    // The server chooses the address, and a browser opens it.
    if (address.protocol !== "https:" && address.protocol !== "http:") {
      throw new Error(`the server names a page of ${address.protocol} to agree on; expected http: or https:`);
    }
    await open(address);
    const { code, iss } = await withTimeout(callback.answer, timeoutMs, () => "for the user to agree");
    await authorize({
      plan,
      provider,
      options,
      authorization: { authorizationCode: code, ...(iss !== null && { iss }) },
    });
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
    const { pathname, searchParams } = URL.parse(request.url ?? "/", place.href) ?? new URL("/", place);
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

interface AuthorizeRequest {
  readonly plan: RemotePlan;
  readonly provider: SignInProvider;
  readonly options: SignInOptions;
  readonly authorization: { readonly forceReauthorization: true } | { readonly authorizationCode: string };
}

/** One part of the sign-in, which takes several requests. It says which server is waited for, and ends at the timeout. */
async function authorize({ plan, provider, options, authorization }: AuthorizeRequest): Promise<void> {
  const { notify, noticeMs = 2_000, responseTimeoutMs = 15_000 } = options;
  const controller = new AbortController();
  const bounded = boundedFetch({ maxBytes: maxResponseBytes });
  let target = plan.url;
  const fetchFn = (url: string | URL, init?: RequestInit) => {
    target = String(url);
    return bounded(url, { ...init, signal: controller.signal });
  };
  const what = () => `for a response of ${new URL(target).origin}`;
  const notice = setTimeout(() => notify?.(`waiting ${what()}`), noticeMs);
  try {
    const work = provider.alone(() => auth(provider, { serverUrl: plan.url, fetchFn, ...authorization }));
    await withTimeout(work, responseTimeoutMs, what);
  } finally {
    clearTimeout(notice);
    controller.abort();
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number, what: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${ms / 1_000} s waiting ${what()}`)), ms);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
