import { readFileSync } from "node:fs";
import type { Options as RedirectOptions } from "@docusaurus/plugin-client-redirects";
import type { PluginConfig } from "@docusaurus/types";
import redirects from "../../contract/site-redirects.json";
import { lastChanges } from "../../scripts/page-history.ts";
import { readApiUrl } from "./api-url.ts";
import { readAssistantSettings } from "./assistant-settings.ts";
import { readSearchService } from "./search-service.ts";
import { readSecurityContact } from "./security-contact.ts";
import { withSpanishLabels } from "./sidebar-labels.ts";
import { siteConfig } from "./site-config.ts";

const repository = "https://github.com/keyhearth/keyhearth";

/** The service has it, also where the site is served from another address. The builder has no page there. */
const dashboard = `${readApiUrl(process.env) ?? "pathname://"}/dashboard`;

/** The builder loads this file once for each language. */
const isSpanish = process.env.DOCUSAURUS_CURRENT_LOCALE === "es";

const summary = isSpanish
  ? "Keyhearth es infraestructura de claves y wallets de código abierto, sin custodia y con alojamiento propio. Un firmante que ejecutas tú crea claves y las guarda, y firma solo lo que permiten los usuarios y las políticas. Las solicitudes se sellan con claves de API o passkeys y se envían a una API HTTP. Un solo comando sirve la documentación, la API y su referencia."
  : "Keyhearth is open-source, self-hosted, non-custodial key and wallet infrastructure. A signer that you run creates keys and keeps them, and signs only what users and policies allow. Requests are stamped by API keys or passkeys and sent to an HTTP API. The documentation, the API and its reference are served by one command.";

/** Titles for pages that are in a sidebar but in none of its categories. */
const sidebarTitles = {
  documentationSidebar: "Documentation",
  solutionsSidebar: "Solutions",
  sdksSidebar: "SDK reference",
};

/** The one version of everything. */
const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/**
 * Set by `scripts/release/keep-version.ts`, such as `0.1`: the site is built to be kept below this name, in the original
 * language, for readers who have this version, and not for search engines.
 */
const kept = process.env.KEYHEARTH_SITE_KEPT || null;

/**
 * For hosts that serve plain files. The service reads the same list and answers 301. The addresses are
 * older than the Spanish site.
 */
const movedPages: [string, RedirectOptions] = [
  "@docusaurus/plugin-client-redirects",
  { redirects: Object.entries(redirects).map(([from, to]) => ({ from, to })) },
];

const forSearchEngines: PluginConfig[] = [
  ["./plugins/social-cards/index.ts", { cache: "../../.cache/keyhearth/cards", sidebarTitles }],
  ["./plugins/structured-data/index.ts", { summary, faq: "/faq" }],
  "./plugins/robots/index.ts",
];

const config = siteConfig({
  title: "Keyhearth",
  tagline: isSpanish
    ? "Claves y wallets sin custodia, en tu propia infraestructura"
    : "Self-hosted, non-custodial keys and wallets",
  url: process.env.KEYHEARTH_SITE_URL || "http://localhost:3000",
  api: readApiUrl(process.env),
  repository,
  directory: "apps/website",
  kept,
  security: readSecurityContact(process.env),
  assistant: readAssistantSettings(process.env),
  search: {
    ...readSearchService(process.env),
    words: "plugins/search/words.ts",
    ...(kept === null && { archives: "versions" }),
  },
  i18n: {
    defaultLocale: "en",
    locales: kept === null ? ["en", "es"] : ["en"],
    localeConfigs: {
      en: { label: "English", htmlLang: "en" },
      es: { label: "Español", htmlLang: "es" },
    },
  },
  docs: {
    showLastUpdateTime: true,
    editLocalizedFiles: true,
    ...(kept !== null && { editUrl: undefined }),
  },
  history: lastChanges(),
  ...(isSpanish && { parseFrontMatter: withSpanishLabels }),
  plugins: [
    ["./plugins/api-reference/index.ts", { contract: "../../contract/openapi.json" }],
    [
      "./plugins/changelog/index.ts",
      {
        file: "../../CHANGELOG.md",
        fragments: kept === null ? "../../changelog" : null,
        page: "developer-reference/changelog",
      },
    ],
    ["./plugins/markdown-pages/index.ts", { summary, sidebarTitles }],
    ["./plugins/kept-versions/index.ts", { version, folder: kept === null ? "versions" : null }],
    ...(kept === null ? forSearchEngines : []),
    ...(isSpanish || kept !== null ? [] : [movedPages]),
  ],
  navbar: {
    title: "Keyhearth",
    hideOnScroll: true,
    logo: { alt: "", src: "img/logo.svg", srcDark: "img/logo-dark.svg", width: 30, height: 30 },
    items: [
      {
        type: "custom-home",
        sidebarId: "documentationSidebar",
        label: "Documentation",
        position: "left",
      },
      { type: "docSidebar", sidebarId: "solutionsSidebar", label: "Solutions", position: "left" },
      { type: "docSidebar", sidebarId: "sdksSidebar", label: "SDK Reference", position: "left" },
      { to: "/api", label: "API Reference", position: "left" },
      { type: "custom-versionDropdown", position: "right" },
      ...(kept === null ? [{ type: "localeDropdown", position: "right" } as const] : []),
      {
        to: dashboard,
        label: "Dashboard",
        position: "right",
        target: "_self",
        // Every language of the site has the same one.
        autoAddBaseUrl: false,
      },
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
    copyright: isSpanish
      ? `Copyright © ${copyrightYears(new Date())} los autores de Keyhearth. Apache-2.0.`
      : `Copyright © ${copyrightYears(new Date())} the Keyhearth authors. Apache-2.0.`,
  },
});

function copyrightYears(now: Date): string {
  const year = now.getFullYear();
  return year > 2025 ? `2025–${year}` : "2025";
}

export default config;
