import type { Readable, Writable } from "node:stream";
import type { Relay } from "../create-relay.ts";
import { createExchange } from "./exchange.ts";
import { MessagePipe } from "./message-pipe.ts";
import { interceptResponses } from "./response-interceptor.ts";
import { interceptRequests } from "./request-interceptor.ts";
import { writeMessage } from "./message.ts";

/** Where one side's messages come from and go to: JSON-RPC, a message to a line. */
export interface MessageStreams {
  readonly input: Readable;
  readonly output: Writable;
}

export interface ConnectRelayOptions {
  /** Us, as the client knows us: requests come from `input`, answers go to `output`. */
  readonly client: MessageStreams;
  /** The server: requests go to `output`, answers come from `input`. */
  readonly server: MessageStreams;
  readonly relay: Relay;
  /** A private folder for messages that are too long for memory; asked for when one comes. */
  readonly folder: () => string;
  /** Told of what went wrong on the way of one message; the others go on. */
  readonly onError: (error: unknown) => void;
}

export interface ConnectedRelay {
  /** The client has ended its input, and all of it went on to the server. */
  readonly clientDone: Promise<void>;
  /** The server has ended its output, and all of it went on to the client, with what was answered here. */
  readonly serverDone: Promise<void>;
}

/** While more answers of ours than this wait for the client to read, no further requests of the client are read. */
const maxBacklog = 64;

/** Puts a relay between a client and a server. What it has no part in goes on as it came, byte for byte and in its order. */
export function connectRelay(options: ConnectRelayOptions): ConnectedRelay {
  const { client, server, relay, folder, onError } = options;
  const exchange = createExchange({
    relay,
    onError,
    tell: (message) => answers.insert(writeMessage(message)),
    drained: () => (answers.backlog > maxBacklog ? answers.idle() : undefined),
    tellServer: (message) => requests.insert(writeMessage(message)),
  });
  const requests = new MessagePipe({
    input: client.input,
    output: server.output,
    look: interceptRequests(exchange),
    folder,
    onError,
  });
  const answers = new MessagePipe({
    input: server.input,
    output: client.output,
    look: interceptResponses(exchange),
    folder,
    onError,
  });
  const answered = async () => {
    await answers.done;
    await Promise.all([...exchange.running.values()].map(({ done }) => done));
    await answers.idle();
  };
  return { clientDone: requests.done, serverDone: answered() };
}
