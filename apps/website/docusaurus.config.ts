import type { Options as DocsOptions } from "@docusaurus/plugin-content-docs";
import type { Options as PagesOptions } from "@docusaurus/plugin-content-pages";
import type { Options as SitemapOptions } from "@docusaurus/plugin-sitemap";
import type { Options as ThemeOptions } from "@docusaurus/theme-classic";
import type { Config } from "@docusaurus/types";
import { emberDark, emberLight } from "./src/css/prism-themes.ts";

/** Where the source is. All GitHub links and edit links are made from it. */
const repository = "https://github.com/keyhearth/keyhearth";

const config: Config = {
  title: "Keyhearth",
  tagline: "Self-hosted, non-custodial keys and wallets",
  url: process.env.KEYHEARTH_PUBLIC_URL ?? "http://localhost:3000",
  baseUrl: "/",
  favicon: "img/favicon.svg",
  titleDelimiter: "|",
  onBrokenLinks: "throw",
  onBrokenAnchors: "throw",
  onDuplicateRoutes: "warn",
  markdown: { hooks: { onBrokenMarkdownLinks: "warn" } },
  i18n: { defaultLocale: "en", locales: ["en"] },
  customFields: { repository },

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
    // Releases are also built from plain archives, so a build must not need the git history.
    experimental_vcs: false,
  },

  plugins: [
    "@docusaurus/plugin-css-cascade-layers",
    [
      "@docusaurus/plugin-content-docs",
      {
        routeBasePath: "/",
        sidebarPath: "./sidebars.ts",
        editUrl: `${repository}/edit/main/apps/website/`,
        breadcrumbs: true,
      } satisfies DocsOptions,
    ],
    ["@docusaurus/plugin-content-pages", {} satisfies PagesOptions],
    ["@docusaurus/plugin-sitemap", { lastmod: null } satisfies SitemapOptions],
    "./plugins/raw-snippets/index.ts",
    ["./plugins/api-reference/index.ts", { contract: "../../contract/openapi.json" }],
  ],
  themes: [
    [
      "@docusaurus/theme-classic",
      {
        customCss: ["./src/css/fonts.css", "./src/css/tokens.css", "./src/css/site.css"],
      } satisfies ThemeOptions,
    ],
  ],

  themeConfig: {
    image: "img/social-card.png",
    metadata: [{ name: "color-scheme", content: "light dark" }],
    colorMode: { defaultMode: "light", disableSwitch: false, respectPrefersColorScheme: false },
    docs: { sidebar: { hideable: false, autoCollapseCategories: false } },
    tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
    prism: { theme: emberLight, darkTheme: emberDark, additionalLanguages: ["bash", "json"] },
    navbar: {
      title: "Keyhearth",
      hideOnScroll: true,
      logo: { alt: "", src: "img/logo.svg", srcDark: "img/logo-dark.svg", width: 30, height: 30 },
      items: [
        {
          type: "docSidebar",
          sidebarId: "documentationSidebar",
          label: "Documentation",
          position: "left",
        },
        { type: "docSidebar", sidebarId: "sdksSidebar", label: "SDK Reference", position: "left" },
        { to: "/api", label: "API Reference", position: "left" },
        { href: repository, label: "GitHub", position: "right" },
      ],
    },
    footer: {
      links: [
        {
          title: "Guides",
          items: [
            { label: "Quickstart", to: "/getting-started/quickstart" },
            { label: "Concepts", to: "/concepts/overview" },
            { label: "Self-hosting", to: "/self-hosting/" },
          ],
        },
        {
          title: "Social",
          items: [
            { label: "GitHub", href: repository },
            { label: "Issues", href: `${repository}/issues` },
          ],
        },
        {
          title: "More",
          items: [
            { label: "API reference", to: "/api" },
            { label: "OpenAPI document", to: "pathname:///openapi.json" },
            { label: "Security", to: "/security/our-approach" },
          ],
        },
      ],
      copyright: `Copyright © ${copyrightYears(new Date())} the Keyhearth authors. Apache-2.0.`,
    },
  },
};

function copyrightYears(now: Date): string {
  const year = now.getFullYear();
  return year > 2025 ? `2025–${year}` : "2025";
}

export default config;
