import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { serve } from "./http.fixture.ts";

export { modernSite } from "./http.fixture.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** An authorization server, and the grants that it was asked for. */
export interface Authorization {
  readonly url: string;
  readonly grants: string[];
  /** Invalidates all refresh tokens. */
  revoke(): void;
  /** Invalidates all access tokens. */
  expire(): void;
}

/** Codes and tokens that are valid. */
function createGrants() {
  const codes = new Map<string, { challenge: string; redirect: string }>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const grants: string[] = [];
  const give = () => {
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID(), token_type: "Bearer", expires_in: 3_600 };
    access.add(tokens.access_token);
    refresh.add(tokens.refresh_token);
    return tokens;
  };
  const grant = (form: URLSearchParams): object | undefined => {
    grants.push(form.get("grant_type") ?? "");
    if (form.get("grant_type") === "refresh_token") {
      return refresh.delete(form.get("refresh_token") ?? "") ? give() : undefined;
    }
    const code = codes.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = code?.challenge === challenge && code.redirect === form.get("redirect_uri");
    return isRight && codes.delete(form.get("code") ?? "") ? give() : undefined;
  };
  return { codes, access, refresh, grants, grant };
}

/** An MCP server behind OAuth. Its authorization server has registration, PKCE, and refresh tokens for one use. `page` is where users agree. */
export async function serveWithOAuth(inner: Handle, page?: string): Promise<Authorization> {
  const { grants, codes, access, refresh, grant } = createGrants();
  const clients = new Map<string, string[]>();
  const { url } = await serve(async (request, response) => {
    const origin = `http://${request.headers.host}`;
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    const json = (status: number, body: object) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      case "/.well-known/oauth-authorization-server":
        return json(200, {
          issuer: origin,
          authorization_endpoint: page ?? `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      case "/register": {
        const asked = JSON.parse(await text(request)) as { redirect_uris: string[] };
        const client = randomUUID();
        clients.set(client, asked.redirect_uris);
        return json(201, { ...asked, client_id: client });
      }
      case "/authorize": {
        const client = searchParams.get("client_id") ?? "";
        const redirect = searchParams.get("redirect_uri") ?? "";
        if (clients.get(client)?.includes(redirect) !== true) return json(400, { error: "invalid_request" });
        const code = randomUUID();
        codes.set(code, { redirect, challenge: searchParams.get("code_challenge") ?? "" });
        const back = new URL(redirect);
        back.searchParams.set("code", code);
        back.searchParams.set("state", searchParams.get("state") ?? "");
        return void response.writeHead(302, { location: back.href }).end();
      }
      case "/token": {
        const tokens = grant(new URLSearchParams(await text(request)));
        // Lets simultaneous requests overlap.
        await delay(50);
        return tokens === undefined ? json(400, { error: "invalid_grant" }) : json(200, tokens);
      }
      default: {
        const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
        if (access.has(token)) return inner(request, response);
        const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
        return void response.writeHead(401, { "www-authenticate": where }).end();
      }
    }
  });
  return { url, grants, expire: () => access.clear(), revoke: () => refresh.clear() };
}
