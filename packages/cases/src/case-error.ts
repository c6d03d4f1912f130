/** What whoever runs cases has to change: a case file, a profile. Says where, and what would be accepted. */
export class CaseError extends Error {
  override readonly name = "CaseError";
}
