import { isIPv4 } from "node:net";
import type { HttpSettings } from "./http-host-options.ts";
import { canonicalName, hostName, isLoopback, settingName, urlHost } from "@toolpacks/access";
import type { HttpCheck } from "./http-check.ts";
import { RequestRefusal } from "./refusal.ts";

export type HostNameSettings = Pick<HttpSettings, "host" | "publicUrl" | "allowedHosts" | "allowedOrigins">;

/** Checks the host names in `Host` and `Origin`. A browser sends the name of the page's site, so that a page of another site cannot use this server. */
export interface HostNames {
  readonly check: HttpCheck;
  /** Checks the host of an absolute request target. @throws RequestRefusal with status 403 */
  checkTarget(host: string): void;
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];
const wildcards = new Set(["0.0.0.0", "::"]);

/** Makes the check of the settings. Ports are not compared: a forwarded port differs from the server's own. */
export function createHostNames({ host, publicUrl, allowedHosts, allowedOrigins }: HostNameSettings): HostNames {
  const hosts = new Set(
    [
      urlHost(host),
      ...(isLoopback(host) || wildcards.has(host) ? loopbackNames : []),
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
      ...allowedHosts,
    ].map(settingName),
  );
  const origins = allowedOrigins === undefined ? hosts : new Set(allowedOrigins.map(settingName));
  // On every address, the address of the connection is the server's own.
  const isOwn = (name: string, address: string | undefined) =>
    wildcards.has(host) && address !== undefined && name === canonicalName(urlHost(withoutMapping(address)));
  const checkHost = (value: string | undefined, address: string | undefined) => {
    const name = value === undefined ? undefined : hostName(value);
    if (name !== undefined && (hosts.has(name) || isOwn(name, address))) return;
    throw forbidden("Host", value, "http.allowedHosts");
  };
  return {
    check({ request: { headers, socket } }, next) {
      checkHost(headers.host, socket.localAddress);
      const { origin } = headers;
      if (origin === undefined) return next();
      const name = originName(origin);
      if (name === undefined || !(origins.has(name) || (origins === hosts && isOwn(name, socket.localAddress)))) {
        throw forbidden("Origin", origin, "http.allowedOrigins");
      }
      return next();
    },
    checkTarget: (value) => checkHost(value, undefined),
  };
}

function forbidden(header: "Host" | "Origin", value: string | undefined, setting: string): RequestRefusal {
  const received = value === undefined ? "nothing" : JSON.stringify(value.slice(0, 200));
  return new RequestRefusal({
    status: 403,
    rule: header.toLowerCase(),
    message: `${header}: ${received} is not allowed; ${setting} of the config file lists other names`,
  });
}

/** The host name of an `Origin`. Undefined for `null` and for other schemes, whose pages have no host. */
function originName(origin: string): string | undefined {
  const authority = /^https?:\/\/([^/?#@\s]+)$/i.exec(origin)?.[1];
  return authority === undefined ? undefined : hostName(authority);
}

/** A server on all addresses sees IPv4 addresses in the form of IPv6. */
function withoutMapping(address: string): string {
  const inner = address.replace(/^::ffff:/i, "");
  return isIPv4(inner) ? inner : address;
}
