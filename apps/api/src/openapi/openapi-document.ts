import type { Sender } from "@keyhearth/engine/declare/define";
import type { Security, securitySchemes } from "./openapi-security.ts";

/** The shape of `contract/openapi.json`. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  maxItems?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
};

export type Content = { "application/json": { schema: Schema; example?: unknown } };

type Parameter = {
  readonly name: string;
  readonly in: "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
};

/** Who may send a submission. Nobody else may. */
export type Senders = {
  by: readonly Sender[];
  /** Users need no permission for what it does to themselves. */
  own: boolean;
  /** Whether only the root quorum may do it, whatever policies say. */
  rootQuorumOnly: "always" | "sometimes" | "never";
};

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  /** Absent where the credentials of the document are accepted, and no others. */
  security?: Security;
  /** Headers, of operations that carry no stamp. */
  parameters?: readonly Parameter[];
  requestBody: { required: true; content: Content };
  responses: Record<"200" | "default", { description: string; content: Content }>;
  /** Codes of errors, of operations that carry no stamp. */
  "x-errors"?: string[];
  "x-policy"?: { resource: string; action: string };
  "x-senders"?: Senders;
  "x-activity"?: {
    defaultType: string;
    versions: {
      type: string;
      intentKey: string;
      resultKey: string;
      parameters: Schema;
      result?: Schema;
    }[];
  };
};

export type OpenApi = {
  "x-generated": string;
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  security: Security;
  tags: { name: string; description: string }[];
  paths: Record<string, { post: Operation }>;
  components: { securitySchemes: typeof securitySchemes; schemas: Record<string, Schema> };
};
