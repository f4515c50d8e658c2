import type { LoadContext, Plugin } from "@docusaurus/types";

/**
 * Lets a module of texts have a translation beside it: in the Spanish site, an import of `notes.ts` gets
 * `notes.es.ts` if there is one. So no page carries its texts in two languages.
 */
export default function translatedModules({ i18n }: LoadContext): Plugin {
  return {
    name: "translated-modules",
    configureWebpack() {
      if (i18n.currentLocale === i18n.defaultLocale) return {};
      return { resolve: { extensionAlias: { ".ts": [`.${i18n.currentLocale}.ts`, ".ts"] } } };
    },
  };
}
