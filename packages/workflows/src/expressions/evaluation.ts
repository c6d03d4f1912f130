/** Bounds the expressions of one step while they are evaluated. */
export interface Evaluation {
  /**
   * Does the work of one expression, after other events were handled where there was no time for them lately. Its time counts.
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
