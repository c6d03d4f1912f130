const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** The current date, weekday and time, for answers about records with dates: a model does not know them. UTC, as the store's times are. */
export function todayText(now: Date = new Date()): string {
  const time = now.toISOString();
  return `today is ${time.slice(0, 10)} (${weekdays[now.getUTCDay()]}), ${time.slice(11, 16)} UTC`;
}
