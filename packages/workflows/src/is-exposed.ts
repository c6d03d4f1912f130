/** Whether a definition, which may not be checked yet, asks for a tool of its own. */
export function isExposed(definition: unknown): boolean {
  return (
    definition !== null && typeof definition === "object" && "expose" in definition && definition.expose === "tool"
  );
}
