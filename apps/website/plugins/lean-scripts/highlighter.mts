const languagesStart = "// src/prism-langs.ts\nvar Prism = __toESM(require_prism());\n";
const themesStart = "// src/themes/index.ts\n";
const rendererStart = "// src/index.ts\nimport ";

/** The theme that the renderer falls back to. */
const keptTheme = /\/\/ src\/themes\/vsDark\.ts\nvar \w+ = [\s\S]*?\nvar vsDark_default = \w+;\n/;

/**
 * The source of prism-react-renderer without its thirty languages and twenty themes, which are most of
 * it and in one file, so that a bundler can't leave them out.
 *
 * @throws if the file is not cut into parts as in version 2.4.
 */
export function withoutLanguages(source: string): string {
  const languages = source.indexOf(languagesStart);
  const themes = source.indexOf(themesStart, languages);
  const renderer = source.indexOf(rendererStart, themes);
  const [theme] = keptTheme.exec(source.slice(themes, renderer)) ?? [];
  if (languages < 0 || themes < 0 || renderer < 0 || theme === undefined) {
    throw new Error("prism-react-renderer has other parts than 2.4: fix plugins/lean-scripts");
  }
  return [
    source.slice(0, languages + languagesStart.length),
    theme,
    "var themes_exports = { vsDark: vsDark_default };\n",
    source.slice(renderer),
  ].join("");
}

export { withoutLanguages as default };
