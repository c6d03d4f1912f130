/** Limits on the expressions of one step during evaluation. */
export interface Evaluation {
  /**
   * Evaluates one expression. Yields to the event loop first if it was blocked for long. Its time counts towards the limit.
   *
   * @throws ToolError when the run is cancelled, or its expressions took too long together
   */
  readonly measure: <T>(work: () => T) => Promise<T>;
  /**
   * Counts characters before they are added to a text.
   *
   * @throws ToolError `too_large` for more than the run may keep
   */
  readonly takeText: (characters: number) => void;
}
