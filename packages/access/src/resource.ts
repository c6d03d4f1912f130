import type { AccessSettings } from "./access-settings.ts";
import { ConfigurationError } from "@toolpacks/core";
import { isLoopback, urlHost } from "./network-address.ts";

/** This server as a protected resource of OAuth (RFC 9728). */
export interface Resource {
  /** Address of the MCP endpoint, as clients use it. */
  readonly url: string;
  /** Address of the metadata document. */
  readonly metadataUrl: string;
  /** Paths that answer the metadata document. */
  readonly metadataPaths: ReadonlySet<string>;
}

const wellKnown = "/.well-known/oauth-protected-resource";

/**
 * The protected resource of the settings.
 *
 * @throws ConfigurationError when clients' address of the server is not known
 */
export function resourceOf({ publicUrl, host = "127.0.0.1", port = 3333, path = "/mcp" }: AccessSettings): Resource {
  const url = publicUrl === undefined ? new URL(localUrl({ host, port })) : plainUrl(publicUrl, "http.publicUrl");
  const pathname = endpointPath(url, path);
  return {
    url: `${url.origin}${pathname}`,
    metadataUrl: `${url.origin}${wellKnown}${pathname}`,
    // A proxy may remove the prefix of publicUrl.
    metadataPaths: new Set([wellKnown, `${wellKnown}${pathname}`, `${wellKnown}${path === "/" ? "" : path}`]),
  };
}

/** Parses the address of a setting. @throws ConfigurationError for an address with a query, a fragment or a password */
export function plainUrl(address: string, setting: string): URL {
  const url = new URL(address);
  const { search, hash, username, password } = url;
  if ([search, hash, username, password].every((part) => part === "")) return url;
  throw new ConfigurationError(`${setting}: expected an address without query, fragment and password`);
}

/** Address of the MCP endpoint behind a proxy. The path of `publicUrl`, if any, comes first. */
export function publicEndpoint(publicUrl: string, path: string): string {
  const url = new URL(publicUrl);
  return `${url.origin}${endpointPath(url, path)}`;
}

function endpointPath({ pathname }: URL, path: string): string {
  return `${pathname.replace(/\/+$/, "")}${path === "/" ? "" : path}`;
}

/** Whether clients send their tokens to this address without encryption over a network. */
export function isUnencrypted(publicUrl: string | undefined): boolean {
  if (publicUrl === undefined) return false;
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === "http:" && !isLoopback(hostname);
}

function localUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  if (!isLoopback(host) || port === 0) {
    throw new ConfigurationError(
      "http.publicUrl: required with http.oauth, unless the server listens on a fixed port of a loopback address. It is the address that clients use",
    );
  }
  return `http://${urlHost(host)}:${port}`;
}
