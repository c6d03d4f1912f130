import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { withFileLock } from "@toolpacks/files";
import { requestsOf } from "../commands/answer-requests.ts";
import type { RequestOptions, SendRequest } from "../commands/tool-requests.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import { createRuntime, type Runtime } from "../mount/runtime.ts";
import { connectTo } from "./client.ts";
import { serverName } from "./identity.ts";
import type { ServerStart } from "./launch-server.ts";
import { onMessage, sendMessage, sentError, type CommandMessage, type Greeting, type LogLine } from "./messages.ts";
import { socketAddress } from "./place.ts";
import { restMinutes } from "./rest-minutes.ts";

/** `toolpacks warm run`: answers the requests of this user's commands that have the same settings, until none came for a while. */
export async function runWarmServer(): Promise<void> {
  const { name, flags } = JSON.parse(await text(process.stdin)) as ServerStart;
  const settings = await resolveSettings(flags, process.env, process.cwd());
  // Something has changed since the command looked.
  if (serverName(settings) !== name) process.exit(1);
  const address = socketAddress(name);
  await withFileLock(`${address}.lock`, async () => {
    // Another command has started this server, too.
    if ((await connectTo(address)) !== "none") process.exit(0);
    const known = new Set(settings.warnings);
    const log: LogLine[] = [];
    let sendLog: (line: LogLine) => void = (line) => log.push(line);
    const runtime = await createRuntime(
      { ...flags, logLevel: "debug" },
      // Each command has these warnings by itself.
      {
        sink(...line) {
          if (!known.has(line[1])) sendLog(line);
        },
      },
    );
    const server = new WarmServer(runtime, log);
    sendLog = (line) => server.sendLog(line);
    await server.listen(address);
  });
}

class WarmServer {
  readonly #runtime: Runtime;
  readonly #answer: SendRequest;
  /** The log of the start. Each command gets it, as if it had opened the runtime. */
  readonly #startLog: readonly LogLine[];
  readonly #started = new Date().toISOString();
  readonly #connections = new Set<Socket>();
  readonly #server = createServer((socket) => this.#accept(socket));
  #isEnding = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(runtime: Runtime, startLog: readonly LogLine[]) {
    this.#runtime = runtime;
    this.#answer = requestsOf(runtime);
    this.#startLog = startLog;
  }

  async listen(address: string): Promise<void> {
    // A killed server has left it.
    rmSync(address, { force: true });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject).listen(address, resolve);
    await promise;
    chmodSync(address, 0o600);
    for (const event of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(event, () => this.#end());
    this.#rest();
  }

  sendLog(log: LogLine): void {
    for (const socket of this.#connections) sendMessage(socket, { log });
  }

  /** Accepts no more connections, and ends the process after the open ones. */
  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearTimeout(this.#timer);
    // This removes the socket, so that another server can start.
    this.#server.close();
    if (this.#connections.size === 0) void this.#exit();
  }

  async #exit(): Promise<void> {
    await this.#runtime.finish().catch(() => {});
    process.exit(0);
  }

  #rest(): void {
    this.#timer = setTimeout(() => this.#end(), restMinutes() * 60_000);
  }

  #accept(socket: Socket): void {
    // Nothing greets this command, so that it runs by itself.
    if (this.#isEnding) return void socket.destroy();
    clearTimeout(this.#timer);
    this.#connections.add(socket);
    const running = new Map<number, AbortController>();
    socket.on("error", () => {});
    socket.once("close", () => {
      for (const request of running.values()) request.abort();
      this.#connections.delete(socket);
      if (this.#connections.size > 0) return;
      if (this.#isEnding) void this.#exit();
      else this.#rest();
    });
    onMessage(socket, (message) => this.#receive(message as CommandMessage, { socket, running }));
    const greeting: Greeting = { pid: process.pid, folder: process.cwd(), started: this.#started, log: this.#startLog };
    sendMessage(socket, greeting);
  }

  #receive(message: CommandMessage, { socket, running }: OpenConnection): void {
    if (message.kind === "stop") {
      socket.end();
      return this.#end();
    }
    const { id, kind } = message;
    if (kind === "cancel") return running.get(id)?.abort();
    const controller = new AbortController();
    running.set(id, controller);
    const options: RequestOptions = {
      signal: controller.signal,
      onEvent: (event) => sendMessage(socket, { id, event }),
    };
    this.#answer(kind, message.request as never, options)
      .then(
        async (answer) => {
          // A command that runs next, in another process, sees what this one did.
          await this.#runtime.store.flush();
          sendMessage(socket, { id, answer });
        },
        (error: unknown) => sendMessage(socket, { id, error: sentError(error) }),
      )
      .finally(() => running.delete(id));
  }
}

interface OpenConnection {
  readonly socket: Socket;
  readonly running: Map<number, AbortController>;
}
