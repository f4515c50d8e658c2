/**
 * What pages know of the builder, without the versions of its plugins, which no page asks for.
 *
 * @param source JSON, as Docusaurus 3.10 writes it.
 */
export function withoutPluginVersions(source: string): string {
  return JSON.stringify({ ...JSON.parse(source), pluginVersions: {} });
}

export { withoutPluginVersions as default };
