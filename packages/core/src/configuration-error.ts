/** An error in the flags, environment or config file. Each problem is printed as one line on stderr, with exit code 2. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly problems: readonly string[];

  constructor(...problems: readonly string[]) {
    super(problems.join("; "));
    this.problems = problems;
  }
}
