import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import { defaultHttpSettings, hostProblem, pathProblem, type HttpConfig } from "@toolpacks/host";
import type { HttpSettings, Setting } from "./settings.ts";

type OAuthConfig = NonNullable<HttpConfig["oauth"]>;

/** The flags of `serve --http`. */
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
  /** The config file, and its `http` block. */
  readonly file:
    | { readonly path: string; readonly directory: string; readonly http: HttpConfig | undefined }
    | undefined;
}

/** Resolves the settings of the HTTP host. Each flag overrides its field of the file. @throws ConfigurationError for a wrong host, port or path */
export function resolveHttp({ flags, directory, file }: HttpSources): Setting<HttpSettings> {
  const inFile = file?.http;
  const tokens =
    flags.tokens === undefined
      ? inFile?.tokens && path.resolve(file?.directory ?? "", inFile.tokens)
      : path.resolve(directory, flags.tokens);
  const value: HttpSettings = {
    ...defaultHttpSettings,
    ...inFile,
    oauth: inFile?.oauth && resolveScopeRoots(inFile.oauth, file?.directory ?? ""),
    host:
      flags.host === undefined
        ? (inFile?.host ?? defaultHttpSettings.host)
        : checkFlag("--host", flags.host, hostProblem),
    port: flags.port === undefined ? (inFile?.port ?? defaultHttpSettings.port) : parsePort(flags.port),
    path:
      flags.path === undefined
        ? (inFile?.path ?? defaultHttpSettings.path)
        : checkFlag("--path", flags.path, pathProblem),
    tokens,
  };
  if (inFile === undefined) return { value, source: "default", origin: "default" };
  return { value, source: "file", origin: `${file?.path}: http` };
}

/** Resolves the roots of scopes, which are relative to the config file like its other roots. */
function resolveScopeRoots(oauth: OAuthConfig, directory: string): OAuthConfig {
  const entries = Object.entries(oauth.scopes).map(([scope, { roots, ...access }]) => {
    return [scope, { ...access, roots: roots?.map((root) => path.resolve(directory, root)) }] as const;
  });
  return { ...oauth, scopes: Object.fromEntries(entries) };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new ConfigurationError(`--port: expected a whole number from 0 to 65535, received ${text}`);
}

function checkFlag(flag: string, text: string, problemOf: (text: string) => string | undefined): string {
  const problem = problemOf(text);
  if (problem === undefined) return text;
  throw new ConfigurationError(`${flag}: ${problem}, received ${JSON.stringify(text)}`);
}
