import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { tooLong } from "./child-transport.ts";
import { cleanText } from "./clean-text.ts";
import { cliHint, signInMessage, type HintPlan } from "./cli-hint.ts";
import type { UpstreamPlan } from "./options.ts";
import { webAddress } from "./question-params.ts";
import { StartError } from "./start-error.ts";

const invalidParams = -32_602;
const resourceNotFound = -32_002;
const maxLength = 500;
const maxData = 1_000;
const maxElicitations = 10;
/** Maximum length of the SDK's error for an invalid response. */
const maxUnread = 200;

const unavailable = (message: string, hint: string) => new ToolError("unavailable", message, hint);

/** Converts an error of a server, its connection or the SDK to a ToolError. */
export function asToolError(error: unknown, plan: HintPlan): ToolError {
  const { name: server } = plan;
  const known = causes(error).find((one) => ToolError.is(one));
  if (known !== undefined) return known;
  const start = causes(error).find((one) => one instanceof StartError);
  if (start !== undefined) return unavailable(`${server} cannot be started: ${clean(start.message)}`, start.hint);
  const message = describe(error);
  if (error instanceof ProtocolError) return fromProtocol(error, message, server);
  if (error instanceof SdkHttpError && error.status === 401) return asksForSignIn(plan);
  if (error instanceof InsufficientScopeError) {
    const what = cleanText(error.requiredScope ?? "more than it allows").slice(0, maxLength);
    return unavailable(
      `${server} requires a sign-in for ${what}`,
      `${signInHint(plan)}, with auth.oauth.scope in its block`,
    );
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return unavailable(`${server} timed out, and the call was cancelled`, "It may still have had an effect.");
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return unavailable(
      `${server} stopped during the call`,
      "It may have had an effect. The next call starts it again.",
    );
  }
  if (error instanceof SdkHttpError) return fromStatus(error, server);
  if (isUnreadable(error)) {
    const hint = "The call may have had an effect. Trying again may not help.";
    return new ToolError("internal", `${server} sent an invalid response: ${message.slice(0, maxUnread)}`, hint);
  }
  return unavailable(`${server} cannot be reached: ${message}`, "Try again later, or do without it.");
}

export function asksForSignIn(plan: HintPlan): ToolError {
  return unavailable(signInMessage(plan), signInHint(plan));
}

export function signInHint(plan: HintPlan): string {
  return `The user can sign in: ${cliHint(plan, "sign-in")}`;
}

/** The message of the innermost cause. SDKs and fetch wrap it in errors of their own. */
export function describe(error: unknown): string {
  const inner = causes(error).at(-1);
  const text = inner instanceof Error ? inner.message || inner.name : String(inner);
  return clean(text);
}

function clean(text: string, max = maxLength): string {
  return cleanText(text.slice(0, 2 * max))
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, max);
}

/** An error and its causes, innermost last. */
export function causes(error: unknown): readonly unknown[] {
  const all = [error];
  for (let at: unknown = error; at instanceof Error && at.cause !== undefined && all.length < 8; at = at.cause) {
    all.push(at.cause);
  }
  return all;
}

function fromProtocol(error: ProtocolError, message: string, server: string): ToolError {
  const { code, data } = error;
  if (code === tooLong) return new ToolError("too_large", `${server}: ${message}`, "Ask for less.");
  if (error instanceof UrlElicitationRequiredError) return fromElicitations(error, message, server);
  const kind = code === invalidParams ? "invalid_input" : code === resourceNotFound ? "not_found" : "internal";
  const details = data === undefined || data === null ? "" : typeof data === "string" ? data : JSON.stringify(data);
  const more = message.includes(details) ? "" : `\n${clean(details, maxData)}`;
  return new ToolError(kind, `${server}: ${message}${more}`);
}

/** The error for a server that requires the user to open a web page first. */
function fromElicitations({ elicitations }: UrlElicitationRequiredError, message: string, server: string): ToolError {
  const words = (value: unknown, max?: number) => (typeof value === "string" ? clean(value, max) : "");
  // The SDK does not validate them.
  const all: readonly unknown[] = Array.isArray(elicitations) ? elicitations.slice(0, maxElicitations) : [];
  const asked = all.map((one) => {
    const { message: why, url } = (one ?? {}) as { readonly message?: unknown; readonly url?: unknown };
    const address = typeof url === "string" ? webAddress(url) : undefined;
    return `\n${words(why)} ${address === undefined ? "(left out: no http or https address)" : words(address, maxData)}`;
  });
  const hint = "The user has to open the address in a browser. Call again when that is done.";
  return unavailable(`${server}: ${message}${asked.join("")}`, hint);
}

function fromStatus({ status, statusText, message }: SdkHttpError, server: string): ToolError {
  const words = clean(message.replace(/^[^:]*: /, ""));
  // An HTML page is not shown. Its status is enough.
  const text = words === "" || words.startsWith("<") ? clean(statusText ?? "") : words;
  const answer = `${server} answered with HTTP ${status}${text === "" ? "" : `: ${text}`}`;
  if (status === 403) return new ToolError("denied", answer, "The account that is signed in has no permission.");
  if (status === 429) return unavailable(answer, "Too many requests. Wait, then try again.");
  if (status < 500) return unavailable(answer, "The server refused the call. The same call will fail again.");
  return unavailable(answer, "Try again later, or do without it. The call may have had an effect.");
}

const unreadable: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
  SdkErrorCode.ClientHttpUnexpectedContent,
]);

/** Whether the response could not be parsed. The SDK throws these errors unchanged. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof SdkError) return unreadable.has(error.code);
  return error instanceof SyntaxError || (error instanceof Error && /^\$?ZodError$/.test(error.name));
}

/** The failure of a call that the server has not answered in time. */
export function timeoutError({ name, timeoutSeconds }: Pick<UpstreamPlan, "name" | "timeoutSeconds">): ToolError {
  const message = `${name} took longer than ${timeoutSeconds} s, and the call was cancelled`;
  return unavailable(message, "It may have had an effect all the same.");
}
