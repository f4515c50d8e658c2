import type { Options as DocsOptions } from "@docusaurus/plugin-content-docs";
import type { Options as PagesOptions } from "@docusaurus/plugin-content-pages";
import type { Options as SitemapOptions } from "@docusaurus/plugin-sitemap";
import type { Options as ThemeOptions } from "@docusaurus/theme-classic";
import type { UserThemeConfig } from "@docusaurus/theme-common";
import type { ThemeConfigAlgolia } from "@docusaurus/theme-search-algolia";
import type { Config, ParseFrontMatter, PluginConfig, VcsConfig } from "@docusaurus/types";
import type { AssistantSettings } from "./assistant-settings.ts";
import { everywhere, sampleLanguages } from "./plugins/lean-scripts/languages.ts";
import { programFolder } from "./plugins/program-folder/index.ts";
import { localSearch } from "./search-service.ts";
import type { SecurityContact } from "./security-contact.ts";
import { ember } from "./src/css/prism-theme.ts";

/** What differs from one site to the other. Everything else is the same for all of them. */
export type Site = {
  title: string;
  tagline: string;
  /** Where readers open the site, without a path. */
  url: string;
  /** Where the API is, if not where the site is. */
  api?: string | null;
  /** The source's page. All GitHub links and edit links are made from it. */
  repository: string;
  /** The directory of the site in the repository. */
  directory: string;
  /** The name of the version if the site is kept below it. It is then left to its own readers. */
  kept?: string | null;
  /** How to report a vulnerability to the operator. */
  security?: SecurityContact;
  /** Null for a site without an assistant. By default it has one. */
  assistant?: AssistantSettings | null;
  /** Who searches, and how its results become addresses of this site. By default the pages search by themselves. */
  search?: SearchSettings;
  i18n: Config["i18n"];
  docs?: DocsOptions;
  pages?: PagesOptions;
  /** Replaces how the front matter of pages is read. */
  parseFrontMatter?: ParseFrontMatter;
  /** Knows when each page changed. Without it, no page says so. */
  history?: VcsConfig;
  /** Plugins that only this site needs, with paths relative to its configuration file. */
  plugins?: PluginConfig[];
  announcementBar?: UserThemeConfig["announcementBar"];
  colorMode?: UserThemeConfig["colorMode"];
  navbar: UserThemeConfig["navbar"];
  footer: UserThemeConfig["footer"];
};

type SearchSettings = Partial<
  Pick<
    ThemeConfigAlgolia,
    "appId" | "apiKey" | "indexName" | "searchPagePath" | "contextualSearch" | "externalUrlRegex"
  >
> & {
  /** A pattern as text is taken literally. */
  replaceSearchResultPathname?: { from: string | RegExp; to: string };
  /** Where the archives of earlier versions are. */
  archives?: string;
  /** A module that knows more words for sections than pages show. */
  words?: string;
};

/** The type of the theme's options says that each may be left out. The theme sets this one then. */
function announcementPlugin(id = "announcement-bar"): PluginConfig {
  return [here("./plugins/announcement-id/index.ts"), { id }];
}

const here = (path: string) => new URL(path, import.meta.url).pathname;

/** What pages take their texts from, so that the fonts have the characters of all of them. */
const pageTexts = [
  ...["docs", "i18n", "snippets", "src"].map((path) => here(`./${path}`)),
  ...["docusaurus.config.ts", "sidebars.ts", "sidebar-labels.ts"].map((path) => here(`./${path}`)),
  ...["contract", "examples", "packages", "CHANGELOG.md", "changelog"].map((path) =>
    here(`../../${path}`),
  ),
  here("../../node_modules/@docusaurus/theme-translations/locales/es"),
];

/** Where the plugin writes the fonts that it makes, below the site. */
const fontDirectory = ".cache/fonts";

/**
 * The configuration of the site and of the small sites that tests build to see the shell with other
 * content, so that they share the theme, the plugins and the rules for links.
 */
export function siteConfig(site: Site): Config {
  const { archives = null, words = null, ...algolia } = site.search ?? {};
  return {
    title: site.title,
    tagline: site.tagline,
    url: site.url,
    baseUrl: site.kept ? `/${site.kept}/` : "/",
    noIndex: Boolean(site.kept),
    favicon: "img/favicon.svg",
    titleDelimiter: "|",
    onBrokenLinks: "throw",
    onBrokenAnchors: "throw",
    onDuplicateRoutes: "warn",
    markdown: {
      hooks: { onBrokenMarkdownLinks: "warn" },
      ...(site.parseFrontMatter && { parseFrontMatter: site.parseFrontMatter }),
    },
    i18n: site.i18n,
    customFields: {
      repository: site.repository,
      kept: site.kept ?? null,
      security: site.security,
      ...(site.assistant !== null && { assistant: site.assistant ?? { title: "", label: "" } }),
      ...(site.api && { api: site.api }),
    },
    staticDirectories: ["static", fontDirectory],

    future: {
      v4: {
        removeLegacyPostBuildHeadAttribute: true,
        useCssCascadeLayers: true,
        // The site promises the storage key `theme`, so the name must not get a hash.
        siteStorageNamespacing: false,
        fasterByDefault: true,
        mdx1CompatDisabledByDefault: true,
      },
      faster: true,
      experimental_vcs: site.history ?? false,
    },

    clientModules: [here("./src/cleared-storage.ts"), here("./src/system-theme.ts")],
    plugins: [
      "@docusaurus/plugin-css-cascade-layers",
      [
        "@docusaurus/plugin-content-docs",
        {
          routeBasePath: "/",
          sidebarPath: "./sidebars.ts",
          editUrl: `${site.repository}/edit/main/${site.directory}/`,
          breadcrumbs: true,
          remarkPlugins: [sampleLanguages, programFolder],
          ...site.docs,
        } satisfies DocsOptions,
      ],
      [
        "@docusaurus/plugin-content-pages",
        { remarkPlugins: [sampleLanguages, programFolder], ...site.pages } satisfies PagesOptions,
      ],
      [
        "@docusaurus/plugin-sitemap",
        { lastmod: "date", changefreq: null, priority: null } satisfies SitemapOptions,
      ],
      here("./plugins/raw-snippets/index.ts"),
      here("./plugins/translated-modules/index.ts"),
      here("./plugins/lean-scripts/index.ts"),
      here("./plugins/lean-styles/index.ts"),
      ...(site.announcementBar ? [announcementPlugin(site.announcementBar.id)] : []),
      [here("./plugins/search/index.ts"), { archives, words }],
      [here("./plugins/fonts/index.ts"), { outDir: fontDirectory, texts: pageTexts }],
      ...(site.plugins ?? []),
    ],
    themes: [
      [
        "@docusaurus/theme-classic",
        {
          customCss: [
            here("./src/css/font-fallbacks.css"),
            here("./src/css/tokens.css"),
            here("./src/css/site.css"),
            here("./src/css/code.css"),
            here("./src/css/print.css"),
          ],
        } satisfies ThemeOptions,
      ],
      "@docusaurus/theme-search-algolia",
    ],

    themeConfig: {
      image: "img/social-card.png",
      metadata: [
        { name: "color-scheme", content: "light dark" },
        // The policy of each page allows requests there (`apps/api/src/serve/security-headers.ts`).
        ...(site.api ? [{ name: "keyhearth-api", content: site.api }] : []),
      ],
      colorMode: {
        defaultMode: "light",
        disableSwitch: false,
        respectPrefersColorScheme: false,
        ...site.colorMode,
      },
      docs: { sidebar: { hideable: false, autoCollapseCategories: false } },
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      prism: {
        theme: ember,
        additionalLanguages: everywhere,
      },
      ...(site.announcementBar && { announcementBar: site.announcementBar }),
      navbar: site.navbar,
      footer: site.footer,
      algolia: { ...localSearch, contextualSearch: true, searchPagePath: "search", ...algolia },
    } satisfies UserThemeConfig & { algolia: object },
  };
}
