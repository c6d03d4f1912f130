import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";

/** Certificates and proxies, without which nothing is reached in some networks. In capitals or not. */
const networkVariables =
  /^(?:NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|NO|ALL)_PROXY)$/i;

/**
 * What npm needs to install a server that is started by `npx`. Tokens and passwords are not among them, nor what belongs to the command that
 * started us, such as `package` and `call` of an `npx` around us.
 */
const npmVariables =
  /^npm_config_(?:(?:@[^:]+:)?registry|ca|cafile|strict_ssl|(?:https?_)?proxy|no_?proxy|cache|userconfig|globalconfig|offline|prefer_(?:on|off)line|fetch_\w+|maxsockets|ignore_scripts|script_shell|before|min_release_age|engine_strict|loglevel)$/i;

/** The variables that a server gets beside those of its own block. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const inherited = getDefaultEnvironment();
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (networkVariables.test(name) || npmVariables.test(name))) inherited[name] = value;
  }
  return inherited;
}
