import { closest, ConfigurationError } from "@toolpacks/core";
import { allCommands } from "./commands.ts";
import { isParent } from "./program.ts";

/** The error for words that are no command. It names the nearest command or pack. */
export function unknownCommand(
  [first = "", second = ""]: readonly string[],
  packs: readonly string[] = [],
): ConfigurationError {
  const [parent, name] = isParent(first) ? [`${first} `, second] : ["", first];
  const known = allCommands.flatMap((entry) =>
    entry.name.startsWith(parent) && entry.isHidden !== true
      ? [entry.name.slice(parent.length).split(" ")[0] ?? ""]
      : [],
  );
  const near = closest(name, [...known, ...packs], 0.6);
  const question = near === undefined ? "" : ` (did you mean ${near}?)`;
  return new ConfigurationError(
    `unknown command ${name}${question}; ${`toolpacks help ${parent}`.trim()} lists the commands`,
  );
}
