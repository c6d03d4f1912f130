/** A block of MCP result content. Both SDKs accept these shapes. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | ResourceLink
  | { readonly type: "resource"; readonly resource: EmbeddedResource };

export interface ResourceLink {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A resource inside a result: its text, or its bytes in base64. */
export type EmbeddedResource =
  | { uri: string; mimeType?: string; text: string }
  | { uri: string; mimeType?: string; blob: string };
