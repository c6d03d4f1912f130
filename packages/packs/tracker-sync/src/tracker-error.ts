/** Why a call of a tracker's tool failed. */
export class TrackerError extends Error {
  override readonly name = "TrackerError";
  /** `limited`: the tracker takes no more calls for now. `refused`: nothing was done. `answered`: the tool says that it failed. `unknown`: there was no answer. */
  readonly effect: "limited" | "refused" | "answered" | "unknown";

  constructor(effect: TrackerError["effect"], message: string) {
    super(message);
    this.effect = effect;
  }
}

const rateLimit =
  /rate.?limit|too many requests|\b(?:http|status|code|error)[ :]*429\b|abuse detection|quota exceeded/i;

export function isRateLimit(text: string): boolean {
  return rateLimit.test(text);
}
