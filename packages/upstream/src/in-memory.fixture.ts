import { AsyncLocalStorage } from "node:async_hooks";
import { InMemoryTransport, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import type { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** A message of the client. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly cursor?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly _meta?: { readonly progressToken?: number };
  };
  readonly result?: { readonly action?: string };
  readonly error?: { readonly message?: string };
}

/** A running server in this process: one for each connection. */
export interface Instance {
  /** Counted from 1. */
  readonly id: number;
  readonly isGone: boolean;
  readonly send: (message: object) => void;
  readonly end: () => void;
}

export interface InMemory {
  readonly open: () => Transport;
  /** The servers that were started. */
  readonly instances: readonly Instance[];
}

/** Messages of a server do not belong to the call that is being sent. */
const outside = AsyncLocalStorage.snapshot();
const copy = (message: object) => JSON.parse(JSON.stringify(message)) as JSONRPCMessage;

/** A server in this process, for the options of an upstream. `serve` creates the handler of a connection's messages. */
export function inMemory(serve: (instance: Instance) => (message: Message) => void): InMemory {
  const instances: Instance[] = [];
  const open = () => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const instance = {
      id: instances.length + 1,
      isGone: false,
      // One message per turn, as from a process.
      send: (message: object) =>
        void outside(() =>
          setImmediate(() => void serverSide.send(copy({ jsonrpc: "2.0", ...message })).catch(() => {})),
        ),
      end: () => void serverSide.close(),
    };
    instances.push(instance);
    const handle = serve(instance);
    serverSide.onmessage = (message) => handle(copy(message) as Message);
    serverSide.onclose = () => (instance.isGone = true);
    void serverSide.start();
    return clientSide;
  };
  return { open, instances };
}

/** A server of SDK 2 in this process. */
export function inMemoryServer(create: () => McpServer): Pick<InMemory, "open"> {
  return {
    open() {
      const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
      serveStdio(create, { transport: serverSide });
      return clientSide;
    },
  };
}
