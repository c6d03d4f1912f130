import path from "node:path";
import type { OAuthSettings } from "@toolpacks/access";
import { ConfigurationError } from "@toolpacks/core";
import { hostProblem, pathProblem } from "./http-address.ts";
import { defaultHttpSettings, type HttpSettings } from "./http-host-options.ts";
import type { HttpConfig } from "./http-schema.ts";

/** The flags of an HTTP host. */
export interface HttpFlags {
  readonly host?: string;
  readonly port?: string;
  readonly path?: string;
  readonly tokens?: string;
}

interface HttpSources {
  readonly flags: HttpFlags;
  /** Base of relative paths in flags. */
  readonly directory: string;
  /** The `http` block of the config file, and the base of its relative paths. */
  readonly file: { readonly directory: string; readonly http: HttpConfig | undefined } | undefined;
}

/** The settings of an HTTP host, and the credentials that it accepts. */
export interface ResolvedHttp extends HttpSettings {
  /** Absolute path of the token file. */
  readonly tokens: string | undefined;
  readonly oauth?: OAuthSettings | undefined;
}

/** Resolves the settings of an HTTP host. Each flag overrides its field of the file. @throws ConfigurationError for a wrong host, port or path */
export function resolveHttp({ flags, directory, file }: HttpSources): ResolvedHttp {
  const inFile = { ...defaultHttpSettings, ...file?.http };
  const fromFile = (name: string) => path.resolve(file?.directory ?? "", name);
  const { host = inFile.host, port, path: endpoint = inFile.path, tokens } = flags;
  checkFlag("--host", flags.host, hostProblem);
  checkFlag("--path", flags.path, pathProblem);
  return {
    ...inFile,
    oauth: inFile.oauth && withScopeRoots(inFile.oauth, fromFile),
    host,
    port: port === undefined ? inFile.port : parsePort(port),
    path: endpoint,
    tokens: tokens === undefined ? inFile.tokens && fromFile(inFile.tokens) : path.resolve(directory, tokens),
  };
}

/** Resolves the roots of scopes, which are relative to the config file like its other roots. */
function withScopeRoots(oauth: OAuthSettings, resolve: (root: string) => string): OAuthSettings {
  const entries = Object.entries(oauth.scopes).map(([scope, { roots, ...access }]) => {
    return [scope, { ...access, roots: roots?.map(resolve) }] as const;
  });
  return { ...oauth, scopes: Object.fromEntries(entries) };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ConfigurationError(`--port: expected a whole number from 0 to 65535, received ${text}`);
}

function checkFlag(flag: string, text: string | undefined, problemOf: (text: string) => string | undefined): void {
  const problem = text === undefined ? undefined : problemOf(text);
  if (problem !== undefined) throw new ConfigurationError(`${flag}: ${problem}, received ${JSON.stringify(text)}`);
}
