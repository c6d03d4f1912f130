import { spawn } from "node:child_process";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import { cli, folder, run } from "./command.fixture.ts";

/** A server process that serves HTTP. */
export interface Replica {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** Address of the MCP endpoint. */
  readonly url: string;
  readonly pid: number;
  /** What it has written to stderr. */
  log(): string;
  /** Ends it like a crash. */
  kill(): Promise<void>;
  /** Sends SIGTERM. Resolves to the exit code. */
  stop(): Promise<number | null>;
}

interface ReplicaOptions {
  /** Address of the store. */
  readonly store: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a server process on a free port. Resolves when it serves. */
export async function startReplica({ store, args = [], cwd = folder(), env = {} }: ReplicaOptions): Promise<Replica> {
  const child = spawn(process.execPath, [cli, "serve", "--http", "--port", "0", "--store", store, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const endWithTests = () => child.kill("SIGKILL");
  process.once("exit", endWithTests);
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  void ended.then(() => process.off("exit", endWithTests));
  let log = "";
  child.stderr.setEncoding("utf8");
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (text: string) => {
      log += text;
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/[\w/]*/.exec(log) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then((code) => reject(new Error(`the server ended with code ${code}: ${log}`)));
  });
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    address: new URL(url).host,
    url,
    pid: child.pid ?? 0,
    log: () => log,
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
  };
}

/** Adds a token to a new token file. */
export async function tokenFile(
  tokens: Readonly<Record<string, readonly string[]>>,
): Promise<{ readonly file: string; readonly tokens: Readonly<Record<string, string>> }> {
  const file = path.join(folder(), "tokens.json");
  const made: Record<string, string> = {};
  for (const [name, flags] of Object.entries(tokens)) {
    const { code, stdout, stderr } = await run(["tokens", "add", name, "--file", file, ...flags]);
    if (code !== 0) throw new Error(stderr);
    made[name] = stdout.trim();
  }
  return { file, tokens: made };
}

/** A load balancer without affinity. */
export interface LoadBalancer {
  /** Address of the MCP endpoint. */
  readonly url: string;
  /** Replaces the replicas that get requests. */
  use(addresses: readonly string[]): void;
  close(): Promise<void>;
}

/** Starts a proxy that sends each request to the next replica. It repeats a request only if the connection to a replica was refused. */
export async function startLoadBalancer(addresses: readonly string[]): Promise<LoadBalancer> {
  let replicas = addresses;
  let next = 0;
  const forward = (incoming: IncomingMessage, response: ServerResponse, triesLeft: number) => {
    const [host = "", port = ""] = replicas[(next += 1) % replicas.length]?.split(":") ?? [];
    const { method, url: path, headers } = incoming;
    const outgoing = request({ host, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" && triesLeft > 0) forward(incoming, response, triesLeft - 1);
      else if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on("close", () => outgoing.destroy());
    // Sent only when the connection stands, so that a refused request can go to another replica.
    outgoing.on("socket", (socket) => {
      const send = () => incoming.pipe(outgoing);
      if (socket.connecting) socket.once("connect", send);
      else send();
    });
  };
  const server = createServer((incoming, response) => forward(incoming, response, replicas.length));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    use: (others) => void (replicas = others),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
