import { schemaName } from "../wire/objects.ts";
import type { Schema } from "./openapi-document.ts";

/** Names by which parts of the contract refer to each other. */

export function operationId(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function requestNameOf({ name }: { name: string }): string {
  return `${schemaName(operationId(name))}Request`;
}

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
