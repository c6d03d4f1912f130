const scheme = "toolpacks://";

/** The address that a server's resource has here. The server's own stands in it as it is, so that a template stays one. */
export function uriHere(server: string, uri: string): string {
  return `${scheme}${server}/${uri}`;
}

/** The server's own address; undefined for one that is not its. */
export function uriThere(server: string, uri: string): string | undefined {
  const start = uriHere(server, "");
  return uri.startsWith(start) ? uri.slice(start.length) : undefined;
}

/** A link to a server's resource, made to lead through us; any other content as it is. */
export function linkHere<Block extends { readonly type: string }>(server: string, block: Block): Block {
  const isLink = block.type === "resource_link" && "uri" in block && typeof block.uri === "string";
  return isLink ? { ...block, uri: uriHere(server, String(block.uri)) } : block;
}
