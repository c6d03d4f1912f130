/** The answer to one request, as text. */
export interface Answer {
  readonly query?: string;
  readonly pack?: string;
  readonly tools: string[];
  readonly unknown?: string[];
}
