import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";

/** Certificates and proxies, in upper or lower case. Some networks need them. */
const networkVariables =
  /^(?:NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|NO|ALL)_PROXY)$/i;

/**
 * npm settings that servers started by `npx` need. Tokens, passwords, and settings of an outer `npx` such as `package` and `call`
 * are left out.
 */
const npmVariables =
  /^npm_config_(?:(?:@[^:]+:)?registry|ca|cafile|strict_ssl|(?:https?_)?proxy|no_?proxy|cache|userconfig|globalconfig|offline|prefer_(?:on|off)line|fetch_\w+|maxsockets|ignore_scripts|script_shell|before|min_release_age|engine_strict|loglevel)$/i;

/** The variables that a server gets besides those of its block. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const inherited = getDefaultEnvironment();
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (networkVariables.test(name) || npmVariables.test(name))) inherited[name] = value;
  }
  return inherited;
}
