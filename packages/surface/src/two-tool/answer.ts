/** The answer to one request, as text. */
export interface Answer {
  readonly query?: string;
  readonly pack?: string;
  readonly tools: readonly string[];
  readonly unknown?: readonly string[];
}
