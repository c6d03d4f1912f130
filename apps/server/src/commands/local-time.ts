/** A time in the time zone of this machine, as `2027-01-31 09:00:00`. */
export function localTime(iso: string): string {
  // Sweden writes times as ISO 8601 does.
  return new Date(iso).toLocaleString("sv-SE");
}
