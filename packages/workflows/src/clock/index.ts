export type { Clock, ClockOptions } from "./clock.ts";
export { startClockWhenNeeded, type NeededClockOptions } from "./clock-when-needed.ts";
