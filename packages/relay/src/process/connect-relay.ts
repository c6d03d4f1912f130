import type { Readable, Writable } from "node:stream";
import { waitForDrain, maxMessageBytes } from "@toolpacks/bounded-io";
import type { Relay } from "../create-relay.ts";
import { createExchange } from "./exchange.ts";
import { pipeMessages, writeMessage } from "./message-pipe.ts";
import { rejectOversized } from "./reject-oversized.ts";
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

/** Puts a relay between a client and a server. Messages that it does not change pass byte for byte and in their order. */
export function connectRelay(options: ConnectRelayOptions): ConnectedRelay {
  const { client, server, relay, onError, maxMessageBytes: maxBytes = maxMessageBytes } = options;
  const sendToClient = (message: object) => writeMessage(client.output, message);
  const sendToServer = (message: object) => writeMessage(server.output, message);
  // The owner of the streams handles a closed output.
  for (const { output } of [client, server]) output.on("error", () => {});
  const exchange = createExchange({
    relay,
    maxMessageBytes: maxBytes,
    sendToClient,
    clientDrained: () => waitForDrain(client.output),
    onError,
  });
  const clientDone = pipeMessages({
    input: client.input,
    output: server.output,
    intercept: interceptRequests(exchange),
    reject: (message) => {
      rejectOversized(message, { from: "client", sendBack: sendToClient, sendOn: sendToServer, onError });
      return waitForDrain(client.output);
    },
    maxMessageBytes: maxBytes,
    onError,
  });
  const serverDone = pipeMessages({
    input: server.input,
    output: client.output,
    intercept: interceptResponses(exchange),
    reject: (message) => {
      if (message.isResponse) exchange.pending.take(message.id);
      rejectOversized(message, { from: "server", sendBack: sendToServer, sendOn: sendToClient, onError });
      return waitForDrain(server.output);
    },
    maxMessageBytes: maxBytes,
    onError,
  });
  const answered = async () => {
    await serverDone;
    await Promise.all([...exchange.running].map(({ done }) => done));
    await waitForDrain(client.output);
  };
  return { clientDone, serverDone: answered() };
}
