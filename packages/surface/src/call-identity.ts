import { createHash } from "node:crypto";
import { canonicalJson, ToolError, type InputRequest } from "@toolpacks/core";

/** The response to a 2026 client in place of a result: the inputs that the call needs, and the id of the call that waits for them. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  readonly requestState: string;
}

/** The response to one round of a call: its result as JSON, or its next question. */
export type RoundResponse = object;

/** What the request with an answer has in common with the request that began the call. */
export interface CallIdentity {
  /** The caller's `principalOf`. */
  readonly principal: string;
  readonly tool: string;
  /** A digest of the tool's name and the arguments. */
  readonly digest: string;
}

/** The digest is computed when it is first read, since few calls ask. */
export function callIdentity(principal: string, tool: string, args: unknown): CallIdentity {
  let digest: string | undefined;
  return {
    principal,
    tool,
    get digest() {
      return (digest ??= createHash("sha256")
        .update(canonicalJson([tool, args ?? {}]))
        .digest("base64url"));
    },
  };
}

/** The same for questions that never existed, of other callers, answered and expired. */
export function unknownQuestion(): ToolError {
  return new ToolError(
    "invalid_input",
    "requestState: no open question has this state; it was answered, has expired, or never existed",
    "Call the tool again without requestState. Check first what the earlier call has changed.",
  );
}

export function otherCall(): ToolError {
  return new ToolError(
    "invalid_input",
    "requestState: it belongs to a call of another tool or with other arguments",
    "Repeat the tool and the arguments of the call that asked.",
  );
}

/** @throws ToolError when a response must not continue the call */
export function checkAnswer(asked: CallIdentity, answering: CallIdentity): void {
  if (asked.principal !== answering.principal) throw unknownQuestion();
  if (asked.digest !== answering.digest) throw otherCall();
}
