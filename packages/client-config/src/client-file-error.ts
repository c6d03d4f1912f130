/** A client's file, or the record of changes, that cannot be parsed or edited. The message begins with the path. */
export class ClientFileError extends Error {
  override readonly name = "ClientFileError";
}
