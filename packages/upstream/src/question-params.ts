import { ProtocolError, ProtocolErrorCode, type ElicitRequestParams } from "@modelcontextprotocol/client";
import { isObject } from "@toolpacks/core";
import { singleLine } from "./clean-text.ts";
import { definitionSize } from "./definition-limit.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields whose values come back in the answer, so they cannot be cleaned. */
const answerFields: ReadonlySet<string> = new Set(["enum", "const", "required"]);
/** A Markdown link to anything but a web page. */
const otherLink = /\]\(\s*<?(?!https?:)[a-z][a-z0-9+.-]*:/i;

/**
 * The parameters of a server's question for the user: every text is a single line without invisible characters, and fields that MCP
 * does not define are removed.
 *
 * @param server the name under which the user configured the server
 * @throws ProtocolError that says what the server must change
 */
export function questionParams(params: ElicitRequestParams, server: string): Fields {
  // The user must see which server asks, whatever the server's own words say.
  const message = `The MCP server ${JSON.stringify(server)} asks: ${shownText(params.message, "message")}`;
  if (params.mode === "url") {
    const url = webAddress(params.url);
    if (url === undefined) throw refused("url: expected an http or https address without a user name or password");
    return { mode: "url", message, elicitationId: answerText(params.elicitationId, "elicitationId"), url };
  }
  const { type, properties, required } = params.requestedSchema;
  const schema = { type, properties, required };
  const { problem: limit } = definitionSize(schema);
  if (limit !== undefined) throw refused(`requestedSchema: ${limit}`);
  const requestedSchema = shownSchema(schema, "requestedSchema");
  return { ...(params.mode !== undefined && { mode: params.mode }), message, requestedSchema };
}

/** The normalized address of a web page, which reveals hidden parts. Undefined for other texts. */
export function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  const isWeb = protocol === "http:" || protocol === "https:";
  return isWeb && username === "" && password === "" ? href : undefined;
}

function shownSchema(value: Fields, path: string): Fields {
  const { format, default: initial } = value;
  if (format === "uri" && typeof initial === "string" && webAddress(initial) === undefined) {
    throw refused(`${path}.default: expected an http or https address`);
  }
  const fields = Object.entries(value).map(([name, inner]) => {
    const at = `${path}.${answerText(name, `a field's name in ${path}`)}`;
    return [name, shownValue(inner, at, answerFields.has(name))] as const;
  });
  return Object.fromEntries(fields);
}

function shownValue(value: unknown, path: string, isAnswer: boolean): unknown {
  if (Array.isArray(value)) return value.map((inner) => shownValue(inner, path, isAnswer));
  if (isObject(value)) return shownSchema(value, path);
  if (typeof value !== "string") return value;
  return isAnswer ? answerText(value, path) : shownText(value, path);
}

function shownText(text: string, path: string): string {
  const shown = singleLine(text);
  if (otherLink.test(shown)) throw refused(`${path}: expected links to http or https addresses only`);
  return shown;
}

/** A text that comes back in the answer must not be changed, so it is rejected when it is not clean. */
function answerText(text: string, path: string): string {
  if (singleLine(text) === text) return text;
  throw refused(`${path}: expected text without line breaks and control or invisible characters`);
}

function refused(problem: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, `The question was not passed on to the user: ${problem}`);
}
