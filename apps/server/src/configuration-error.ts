/** What whoever starts the server has to change: said in one line on stderr, with exit code 2. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}
