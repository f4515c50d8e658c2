/** Tells the assistant of a page that a model answers here (`apps/website/src/assistant/has-model.ts`). */
export function nameModel(html: string): string {
  return html.replace("<head>", '<head><meta name="keyhearth-assistant" content="model">');
}
