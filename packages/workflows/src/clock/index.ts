export type { Clock } from "./clock.ts";
export type { ClockOptions } from "./clock-options.ts";
export { startClockWhenNeeded, type NeededClockOptions } from "./clock-when-needed.ts";
