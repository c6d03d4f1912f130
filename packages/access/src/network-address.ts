import { BlockList, isIPv4, isIPv6 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether a host can be reached from this machine only. An IPv6 address may have the brackets of a URL. */
export function isLoopback(host: string): boolean {
  const address = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  if (isIPv4(address)) return loopback.check(address, "ipv4");
  if (isIPv6(address)) return loopback.check(address, "ipv6");
  return address.toLowerCase() === "localhost";
}

/** A host in the form of a URL: an IPv6 address gets brackets. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;
const maxPort = 65_535;

/** The name in a `Host` header, in its canonical form. Undefined: the header is not a host with an optional port. */
export function hostName(value: string): string | undefined {
  const [, name, port = ""] = hostPattern.exec(value) ?? [];
  if (Number(port) > maxPort) return undefined;
  return name === undefined ? undefined : canonicalName(name);
}

/** The canonical form of a host name: lower case, no dot at the end, IPv6 addresses in their short form. */
export function canonicalName(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (!lower.startsWith("[")) return lower.endsWith(".") ? lower.slice(0, -1) : lower;
  if (!isIPv6(lower.slice(1, -1))) return undefined;
  return new URL(`http://${lower}`).hostname;
}

/** The host name in a setting. A port is dropped, and an IPv6 address may lack its brackets. Undefined: the text is not a host name. */
export function settingName(text: string): string | undefined {
  return hostName(urlHost(text));
}

/** The part of a remote address that one network owns: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !isIPv6(address)) return address ?? "";
  if (address.startsWith("::ffff:")) return address.slice(7);
  const [head = "", tail] = address.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}
