export { startClock, type Clock, type ClockOptions } from "./clock.ts";
