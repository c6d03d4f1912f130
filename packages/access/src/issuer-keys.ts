import { errorText, isObject } from "@toolpacks/core";
import { boundedFetch, parseBounded } from "@toolpacks/bounded-io";
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, type RemoteJWKSet } from "jose";
import { isLoopback } from "./network-address.ts";

/** The authorization server cannot be asked for its keys now. */
export class IssuerUnavailable extends Error {
  override readonly name = "IssuerUnavailable";
}

export interface IssuerKeysOptions {
  /** The issuer as in the `iss` of tokens. */
  readonly issuer: string;
  /** Timeout of one request to the authorization server, in ms. Default 5,000. */
  readonly timeoutMs?: number;
  /** Time after a failed request in which no other is sent, in ms. Default 5,000. */
  readonly retryMs?: number;
  /** Minimum time between two requests for keys that tokens name and the last answer lacks, in ms. Default 30,000. */
  readonly cooldownMs?: number;
}

const defaults = { timeoutMs: 5_000, retryMs: 5_000, cooldownMs: 30_000 };

/** Limits of a document of the authorization server. */
const bounds = { maxBytes: 524_288, maxDepth: 32, maxValues: 20_000 };
const fetchBounded = boundedFetch({ maxBytes: bounds.maxBytes });

/**
 * The public keys of an authorization server. Its metadata names their address. Keys are kept for ten minutes, and fetched again earlier when a token
 * names an unknown key.
 */
export class IssuerKeys {
  readonly #options: Required<IssuerKeysOptions>;
  #keys: Promise<RemoteJWKSet> | undefined;
  #failure: { readonly error: IssuerUnavailable; readonly at: number } | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = { ...defaults, ...options };
  }

  /** Time after a failure in which no request is sent, in whole seconds. */
  get retrySeconds(): number {
    return Math.ceil(this.#options.retryMs / 1_000);
  }

  /** Finds the key of a token. Rejects with `IssuerUnavailable`, or with the error of `jose` for a token without a matching key. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#remoteKeys();
    try {
      return await keys(header, token);
    } catch (error) {
      // Without fresh keys no token can be checked, and the next attempt starts at the metadata, which may name another address by then.
      if (error instanceof IssuerUnavailable && !keys.fresh) this.#keys = undefined;
      throw error;
    }
  };

  /** Fetches the metadata and the keys. Rejects with `IssuerUnavailable`. */
  async check(): Promise<void> {
    const keys = await this.#remoteKeys();
    await keys.reload().catch((error: unknown) => {
      throw error instanceof IssuerUnavailable ? error : new IssuerUnavailable(errorText(error));
    });
  }

  #remoteKeys(): Promise<RemoteJWKSet> {
    this.#keys ??= this.#discover().catch((error: unknown) => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #discover(): Promise<RemoteJWKSet> {
    const address = await this.#guard(() => this.#discoverAddress());
    return createRemoteJWKSet(address, {
      cooldownDuration: this.#options.cooldownMs,
      timeoutDuration: this.#options.timeoutMs,
      [customFetch]: (url) =>
        this.#guard(async () => {
          const found = await this.#fetchDocument(url);
          const { keys } = isObject(found) ? found : {};
          if (Array.isArray(keys) && keys.every(isObject)) return Response.json({ keys });
          throw new IssuerUnavailable(`${url} has no JWK set`);
        }),
    });
  }

  /** Runs requests, unless a request failed a moment ago. */
  async #guard<T>(request: () => Promise<T>): Promise<T> {
    const { retryMs } = this.#options;
    if (this.#failure !== undefined && performance.now() - this.#failure.at < retryMs) throw this.#failure.error;
    try {
      const result = await request();
      this.#failure = undefined;
      return result;
    } catch (error) {
      const failure = error instanceof IssuerUnavailable ? error : new IssuerUnavailable(errorText(error));
      this.#failure = { error: failure, at: performance.now() };
      throw failure;
    }
  }

  /** Finds the address of the keys in the first metadata document that exists. */
  async #discoverAddress(): Promise<URL> {
    const { issuer } = this.#options;
    for (const address of metadataAddresses(issuer)) {
      const metadata = await this.#fetchDocument(address);
      if (metadata !== undefined) return keysAddress(metadata, { issuer, address });
    }
    throw new IssuerUnavailable(`${issuer} has no metadata of an authorization server`);
  }

  /** Fetches a JSON document; undefined when it does not exist. */
  async #fetchDocument(url: string): Promise<unknown> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs);
    const headers = { accept: "application/json" };
    const response = await fetchBounded(url, { headers, redirect: "manual", signal }).catch((error: unknown) => {
      throw new IssuerUnavailable(`${url} cannot be reached (${errorText(error)})`);
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      if (response.status >= 400 && response.status < 500) return undefined;
      const reason = response.status < 400 ? "redirects, which is refused" : `answered with ${response.status}`;
      throw new IssuerUnavailable(`${url} ${reason}`);
    }
    try {
      return parseBounded(await response.text(), bounds);
    } catch (error) {
      throw new IssuerUnavailable(`${url} cannot be read (${errorText(error)})`);
    }
  }
}

/** The addresses of an issuer's metadata, in the order in which MCP clients try them: RFC 8414, OpenID Connect, and OpenID's older form. */
function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

/** The address of the keys in a metadata document. The document must be of the expected issuer, otherwise it could name another server's keys. */
function keysAddress(
  metadata: unknown,
  { issuer, address }: { readonly issuer: string; readonly address: string },
): URL {
  const { issuer: named, jwks_uri: keys } = isObject(metadata) ? metadata : {};
  if (named !== issuer) {
    const shown = typeof named === "string" ? JSON.stringify(named.slice(0, 200)) : "nothing";
    throw new IssuerUnavailable(`${address} names the issuer ${shown}, expected ${JSON.stringify(issuer)}`);
  }
  const url = typeof keys === "string" && URL.canParse(keys) ? new URL(keys) : undefined;
  if (url === undefined) throw new IssuerUnavailable(`${address} has no jwks_uri`);
  const isAllowed = url.protocol === "https:" || (isLoopback(url.hostname) && isLoopback(new URL(issuer).hostname));
  if (!isAllowed || !/^https?:$/.test(url.protocol)) {
    throw new IssuerUnavailable(`${address} has a jwks_uri that is not https`);
  }
  return url;
}
