/**
 * No text of this page ever becomes HTML. React Aria empties an element by setting its HTML to the empty text, when a number
 * field or a list tells a reader of the screen something, so that alone is allowed. Browsers without Trusted Types allow it
 * anyway.
 */
export function refuseHtml(): void {
  const factory: unknown = Reflect.get(globalThis, "trustedTypes");
  if (!isFactory(factory)) return;
  factory.createPolicy("default", { createHTML: (text) => (text === "" ? "" : null) });
}

type Factory = {
  createPolicy(name: string, rules: { createHTML: (text: string) => string | null }): unknown;
};

function isFactory(value: unknown): value is Factory {
  return typeof value === "object" && value !== null && "createPolicy" in value;
}
