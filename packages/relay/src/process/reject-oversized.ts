import type { OversizedMessage } from "@toolpacks/bounded-io";

const invalidRequest = -32_600;
const internalError = -32_603;

export interface RejectOptions {
  /** Who sent it: "client", "server". */
  readonly from: string;
  /** Sends an error in response to a request. */
  readonly sendBack: (message: object) => void;
  /** Sends an error in place of a response. */
  readonly sendOn: (message: object) => void;
  readonly onError: (error: unknown) => void;
}

/** Sends an error for a message beyond a limit: to the sender of a request, or to the receiver of a response. */
export function rejectOversized({ id, reason, ...message }: OversizedMessage, options: RejectOptions): void {
  const { from, sendBack, sendOn, onError } = options;
  const kind = message.isResponse ? "response" : "message";
  const problem = `the ${from}'s ${kind} is ${reason}`;
  onError(new Error(id === undefined ? `${problem}. It was dropped` : problem));
  if (id === undefined || message.isNotification) return;
  const send = message.isResponse ? sendOn : sendBack;
  const code = message.isResponse ? internalError : invalidRequest;
  send({ jsonrpc: "2.0", id, error: { code, message: `${problem} (limit of toolpacks relay)` } });
}
