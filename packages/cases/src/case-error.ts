/** An error in a case file, a profile or a flag. The message names the place and the accepted values. */
export class CaseError extends Error {
  override readonly name = "CaseError";
}
