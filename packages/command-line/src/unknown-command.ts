import { closest, ConfigurationError } from "@toolpacks/core";
import { allCommands, isParent } from "./find-route.ts";
import type { Program } from "./program.ts";

/** The error for words that are no command. It names the nearest command, or the nearest of other names. */
export function unknownCommand(
  program: Program,
  [first = "", second = ""]: readonly string[],
  others: readonly string[] = [],
): ConfigurationError {
  const [parent, name] = isParent(program, first) ? [`${first} `, second] : ["", first];
  const known = allCommands(program).flatMap((entry) =>
    entry.name.startsWith(parent) && entry.isHidden !== true
      ? [entry.name.slice(parent.length).split(" ")[0] ?? ""]
      : [],
  );
  const near = closest(name, [...known, ...others], 0.6);
  const question = near === undefined ? "" : ` (did you mean ${near}?)`;
  return new ConfigurationError(
    `unknown command ${name}${question}; ${`${program.name} help ${parent}`.trim()} lists the commands`,
  );
}
