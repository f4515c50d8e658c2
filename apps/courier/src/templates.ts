import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MessageStyle } from "@keyhearth/engine/messages/message";
import type { Parts } from "./rendered.ts";
import { escapeHtml } from "./text.ts";

/** A template of the operator's directory. Null if there is none by this id. */
export function readTemplate(
  directory: string | null,
  { id, familyId }: { id: string | null; familyId: string | null },
): string | null {
  if (directory === null || id === null || !/^[\w-]{1,64}$/.test(id)) return null;
  const file = `${id}.html`;
  const own = familyId === null ? null : readText(join(directory, familyId, file));
  return own ?? readText(join(directory, file));
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

const PLACE = /\{\{\s*(?:\.(\w+)|index\s+\.TemplateVariables\s+"([^"]*)")\s*\}\}/g;

/**
 * Fills `{{ .OtpCode }}`, `{{ .CredentialBundle }}`, `{{ .MagicLink }}`, `{{ .AppName }}` and
 * `{{ index .TemplateVariables "name" }}`. Every value is text: it cannot bring HTML, or places of its own.
 */
export function fillTemplate(
  template: string,
  { parts, style }: { parts: Parts; style: MessageStyle | null },
): string {
  const values = new Map([
    ["OtpCode", parts.code],
    ["CredentialBundle", parts.credentialBundle],
    ["MagicLink", parts.link],
    ["AppName", style?.appName],
  ]);
  const variables = new Map(Object.entries(style?.templateVariables ?? {}));
  return template.replace(PLACE, (_, name?: string, variable?: string) =>
    escapeHtml((name ? values.get(name) : variables.get(variable ?? "")) ?? ""),
  );
}
