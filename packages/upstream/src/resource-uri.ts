const scheme = "toolpacks://";

/** Whether a URI names an interface of an MCP App. Hosts compare it with the `_meta` of tools and results, so it stays as it is. */
export function isInterface(uri: string): boolean {
  return uri.startsWith("ui://");
}

/** The address of a server's resource here. It contains the server's own address, so that templates stay templates. */
export function uriHere(server: string, uri: string): string {
  return isInterface(uri) ? uri : `${scheme}${server}/${uri}`;
}

/** The server's own address. Undefined for other addresses. */
export function uriThere(server: string, uri: string): string | undefined {
  const start = `${scheme}${server}/`;
  return uri.startsWith(start) ? uri.slice(start.length) : undefined;
}

/** Rewrites the address of a link to a server's resource. Other content is unchanged. */
export function linkHere<Block extends { readonly type: string }>(server: string, block: Block): Block {
  const isLink = block.type === "resource_link" && "uri" in block && typeof block.uri === "string";
  return isLink ? { ...block, uri: uriHere(server, String(block.uri)) } : block;
}
