/** Whether a host name or an address of a URL is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(hostname);
}
