import { isIPv4 } from "node:net";
import type { HttpSettings } from "../http-host-options.ts";
import { canonicalName, hostName, isLoopback, settingName, urlHost } from "@toolpacks/access";
import type { HttpCheck } from "../http-check.ts";
import { RequestRefusal } from "../refusal.ts";

type HostNameSettings = Pick<HttpSettings, "host" | "publicUrl" | "allowedHosts" | "allowedOrigins">;

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];
const wildcards = new Set(["0.0.0.0", "::"]);

/**
 * Checks the host names in `Host` and `Origin`. A browser sends the name of the page's site, so that a page of another site cannot use this server. Ports
 * are not compared: a forwarded port differs from the server's own.
 */
export function checkHostNames({ host, publicUrl, allowedHosts, allowedOrigins }: HostNameSettings): HttpCheck {
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
  return ({ request: { headers, socket } }, next) => {
    const { host: named, origin } = headers;
    const name = named === undefined ? undefined : hostName(named);
    if (name === undefined || !(hosts.has(name) || isOwn(name, socket.localAddress))) {
      throw forbidden("Host", named, "http.allowedHosts");
    }
    if (origin === undefined) return next();
    const site = originName(origin);
    if (site === undefined || !(origins.has(site) || (origins === hosts && isOwn(site, socket.localAddress)))) {
      throw forbidden("Origin", origin, "http.allowedOrigins");
    }
    return next();
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
