/** An error in the flags, environment or config file. It is printed as one line on stderr, with exit code 2. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}
