/** Why a text cannot be the host to listen on. Undefined: it can. */
export function hostProblem(text: string): string | undefined {
  if (/^[\w.-]{1,255}$/.test(text)) return undefined;
  // An IPv6 address. Every start loads this file, so it does without node:net.
  if (/^[0-9a-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]`)) return undefined;
  return "expected an IP address or a host name, such as 127.0.0.1";
}

const ownPath = /^\/(healthz|readyz|metrics|\.well-known\/.*)$/;

/** Why a text cannot be the path of the MCP endpoint. Undefined: it can. */
export function pathProblem(text: string): string | undefined {
  // The last check refuses the segments `.` and `..`, which clients remove from the addresses of their requests.
  if (!/^\/[\w./-]*$/.test(text) || new URL(`http://host${text}`).pathname !== text) {
    return "expected a path such as /mcp";
  }
  return ownPath.test(text) ? "expected a path that the server does not answer itself, such as /mcp" : undefined;
}
