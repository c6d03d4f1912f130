import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from "@modelcontextprotocol/client";
import { ToolError } from "@toolpacks/core";
import { tooLong } from "./child-transport.ts";
import { cleanText } from "./clean-text.ts";
import type { UpstreamPlan } from "./options.ts";
import { ownCommand } from "./own-command.ts";

const invalidParams = -32_602;
const resourceNotFound = -32_002;
const longest = 500;

/** Of a plan, what an error says. */
type ToldPlan = Pick<UpstreamPlan, "name" | "hintFlags">;

/** What a model reads of an error that a server, the way to it, or the SDK made. */
export function asToolError(error: unknown, plan: ToldPlan): ToolError {
  const { name: server } = plan;
  const known = causes(error).find((one) => ToolError.is(one));
  if (known !== undefined) return known;
  const message = describe(error);
  if (error instanceof ProtocolError) return fromProtocol(error, message, server);
  if (error instanceof SdkHttpError && error.status === 401) return asksForSignIn(plan);
  if (error instanceof InsufficientScopeError) {
    const what = cleanText(error.requiredScope ?? "more than it allows").slice(0, longest);
    const hint = `${signInHint(plan)}, with auth.oauth.scope in its block`;
    return new ToolError("unavailable", `${server} asks for a sign-in for ${what}`, hint);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    return new ToolError(
      "unavailable",
      `${server} took too long and was cancelled`,
      "It may still have had an effect.",
    );
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return new ToolError(
      "unavailable",
      `${server} stopped during the call`,
      "It may have had an effect. The next call starts it again.",
    );
  }
  return new ToolError("unavailable", `${server} cannot be reached: ${message}`, "Try again later, or do without it.");
}

export function asksForSignIn(plan: ToldPlan): ToolError {
  return new ToolError("unavailable", `${plan.name} asks for a sign-in`, signInHint(plan));
}

export function signInHint(plan: ToldPlan): string {
  return `Whoever runs this server can sign in: ${ownCommand(plan, "sign-in")}`;
}

/** The innermost cause is what went wrong; SDKs and fetch wrap it in words of their own. */
export function describe(error: unknown): string {
  const inner = causes(error).at(-1);
  const text = inner instanceof Error ? inner.message || inner.name : String(inner);
  return cleanText(text).replaceAll(/\s+/g, " ").slice(0, longest);
}

function causes(error: unknown): readonly unknown[] {
  const all = [error];
  for (let at: unknown = error; at instanceof Error && at.cause !== undefined && all.length < 8; at = at.cause) {
    all.push(at.cause);
  }
  return all;
}

function fromProtocol({ code }: ProtocolError, message: string, server: string): ToolError {
  if (code === tooLong) return new ToolError("too_large", `${server}: ${message}`, "Ask for less.");
  const kind = code === invalidParams ? "invalid_input" : code === resourceNotFound ? "not_found" : "internal";
  return new ToolError(kind, `${server}: ${message}`);
}
