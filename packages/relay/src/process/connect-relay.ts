import type { Readable, Writable } from "node:stream";
import { waitForDrain, maxMessageBytes } from "@toolpacks/bounded-io";
import type { Relay } from "../create-relay.ts";
import { createExchange } from "./exchange.ts";
import { pipeMessages, writeMessage, type MessageInterceptor } from "./message-pipe.ts";
import { interceptRequests } from "./request-interceptor.ts";
import { interceptResponses } from "./response-interceptor.ts";

/** The streams of one side: JSON-RPC, one message a line. */
export interface MessageStreams {
  readonly input: Readable;
  readonly output: Writable;
}

export interface ConnectRelayOptions {
  /** The client's side: requests come from `input`, responses go to `output`. */
  readonly client: MessageStreams;
  /** The server's side: requests go to `output`, responses come from `input`. */
  readonly server: MessageStreams;
  readonly relay: Relay;
  /** Maximum size of one message in bytes. A larger one is answered with an error. Default 64 MiB. */
  readonly maxMessageBytes?: number;
  /** Gets errors that concern one message. The other messages are unaffected. */
  readonly onError: (error: unknown) => void;
}

export interface ConnectedRelay {
  /** Resolves when the client's input has ended and was written to the server. */
  readonly clientDone: Promise<void>;
  /** Resolves when the server's output has ended and was written to the client, with the responses that are made here. */
  readonly serverDone: Promise<void>;
}

const invalidRequest = -32_600;
const internalError = -32_603;
const limitNote = "(limit of toolpacks relay)";

/** Puts a relay between a client and a server. A message beyond a limit is answered with an error. Messages that it does not change pass byte for byte and in their order. */
export function connectRelay(options: ConnectRelayOptions): ConnectedRelay {
  const { client, server, onError, maxMessageBytes: maxBytes = maxMessageBytes } = options;
  // The owner of the streams handles a closed output.
  for (const { output } of [client, server]) output.on("error", () => {});
  const exchange = createExchange({
    relay: options.relay,
    maxMessageBytes: maxBytes,
    sendToClient: (message) => writeMessage(client.output, message),
    clientDrained: () => waitForDrain(client.output),
    onError,
  });
  const pipe = (from: "client" | "server", intercept: MessageInterceptor) => {
    const [{ input, output: back }, { output }] = from === "client" ? [client, server] : [server, client];
    return pipeMessages({
      input,
      output,
      intercept,
      reject({ id, reason, isResponse, isNotification }) {
        const problem = `the ${from}'s ${isResponse ? "response" : "message"} is ${reason}`;
        onError(new Error(id === undefined ? `${problem}. It was dropped` : problem));
        if (from === "server" && isResponse) exchange.pending.take(id);
        if (id !== undefined && !isNotification) {
          const error = { code: isResponse ? internalError : invalidRequest, message: `${problem} ${limitNote}` };
          writeMessage(isResponse ? output : back, { jsonrpc: "2.0", id, error });
        }
        return waitForDrain(back);
      },
      maxMessageBytes: maxBytes,
      onError,
    });
  };
  const clientDone = pipe("client", interceptRequests(exchange));
  const serverDone = pipe("server", interceptResponses(exchange));
  const answered = async () => {
    await serverDone;
    await Promise.all([...exchange.running].map(({ done }) => done));
    await waitForDrain(client.output);
  };
  return { clientDone, serverDone: answered() };
}
