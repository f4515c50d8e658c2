type Config = Record<string, unknown> & { future?: { experimental_router?: string } };

/** What only the builder reads. It names folders of the machine that built the site. */
const forTheBuilder = ["plugins", "themes", "presets", "clientModules", "staticDirectories"];

/** The same, in settings that no page asks for. */
const HOW_TO_BUILD = ["markdown", "onBrokenLinks", "onBrokenAnchors", "onDuplicateRoutes"];

/**
 * The module of the site's configuration without what only the builder reads.
 *
 * @throws if the module is not one object in JSON.
 */
export function forReaders(source: string): string {
  const [before, json] = source.split("export default ");
  if (before === undefined || json === undefined) {
    throw new Error("the generated configuration is not `export default` and an object");
  }
  const config: Config = JSON.parse(json.trim().replace(/;$/, ""));
  for (const key of forTheBuilder) config[key] = [];
  for (const key of HOW_TO_BUILD) delete config[key];
  config.future = { experimental_router: config.future?.experimental_router };
  return `export default ${JSON.stringify(config)};\n`;
}

export { forReaders as default };
