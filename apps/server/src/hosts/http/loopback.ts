import { BlockList, isIPv4, isIPv6 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether an address to listen on can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return loopback.check(host, "ipv4");
  if (isIPv6(host)) return loopback.check(host, "ipv6");
  return host.toLowerCase() === "localhost";
}

/** A host as it is written in a URL. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
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
