const form = /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/;

/** A MIME type without parameters. An invalid one becomes `text/plain` or `application/octet-stream`. */
export function plainType(mimeType: string, text: boolean): string {
  const type = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (form.test(type)) return type;
  return text ? "text/plain" : "application/octet-stream";
}
