const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const date = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const dateTime = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/** The formats that are checked, each in linear time. Other formats are ignored. */
export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["uuid", (text: string) => uuid.test(text)],
  ["date", (text: string) => date.test(text)],
  ["date-time", (text: string) => dateTime.test(text)],
  ["email", (text: string) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ["uri", (text: string) => URL.canParse(text)],
]);
