const defaultMinutes = 5;
/** A timer of Node.js has at most 2^31 ms. */
const maxMinutes = 24 * 60;

/** Minutes without a request after which a warm server ends, from `$TOOLPACKS_WARM`. Zero: commands start none and use none. */
export function restMinutes(): number {
  const { TOOLPACKS_WARM: setting = "", CI } = process.env;
  if (process.platform === "win32") return 0;
  if (setting === "") return CI ? 0 : defaultMinutes;
  const minutes = Number(setting);
  return minutes > 0 ? Math.min(minutes, maxMinutes) : 0;
}
