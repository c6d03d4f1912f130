import type { ServerEventBus } from "@modelcontextprotocol/server";
import type { Authenticator, RateLimiter } from "@toolpacks/access";
import type { PackLog } from "@toolpacks/core";
import type { ServerInfo } from "../stdio-transport.ts";
import type { HttpConfig } from "./http-schema.ts";
import type { HttpTimeouts } from "./http-server.ts";
import type { Readiness } from "./readiness.ts";

/** A loopback address without limits of rates, and limits for one caller that a person does not reach. */
export const defaultHttpSettings = {
  host: "127.0.0.1",
  port: 3333,
  path: "/mcp",
  allowedHosts: [] as string[],
  maxBodyBytes: 1_048_576,
  maxStreams: 16,
  maxCalls: 32,
} satisfies HttpConfig;

/** Where an HTTP host listens, and its limits: the `http` block of the config file without its credentials. */
export type HttpSettings = Omit<HttpConfig, "tokens" | "oauth"> &
  Required<Pick<HttpConfig, keyof typeof defaultHttpSettings>>;

/** What an HTTP host counts, and the metrics that it serves. */
export interface HttpObservability {
  /** Counts a request by the status of its response. */
  onResponse(status: number): void;
  /** Counts a request that a check refuses. The reason is the `rule` of the refusal, one of a few fixed names, such as `origin`. */
  onRefusal(reason: string): void;
  /** Counts an open stream. Returns a function that counts its end, at its first call. */
  onStream(): () => void;
  /** The metrics of this process in the format of Prometheus. */
  metrics(): Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface HttpHostOptions {
  readonly settings?: Partial<HttpSettings>;
  /** Name and version of the server, for clients. */
  readonly info: ServerInfo;
  /** Default: no log. */
  readonly log?: PackLog;
  /** Default: always ready. */
  readonly readiness?: Readiness;
  /** Undefined: every caller is the local user, so the address must be a loopback address. The host closes it. */
  readonly authenticator?: Authenticator | undefined;
  /** Default: a rate limiter of this process. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Creates the bus of a surface's change events. The same surface has the same scope on every replica. Default: a bus of this process. */
  readonly openBus?: ((scope: string) => ServerEventBus) | undefined;
  /** Counts requests and streams, and has the content of `/metrics`. Undefined: the path does not exist. */
  readonly observability?: HttpObservability | undefined;
  /** Other timeouts, for tests. */
  readonly timeouts?: HttpTimeouts;
}
