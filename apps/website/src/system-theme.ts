import siteConfig from "@generated/docusaurus.config";

// A service may serve pages that follow the reader's system. They say so before this runs. Then the switch of the theme
// offers the system beside light and dark, and the page changes with it.

if (typeof document !== "undefined" && "followsSystem" in document.documentElement.dataset) {
  const { colorMode } = siteConfig.themeConfig as { colorMode: Record<string, unknown> };
  colorMode.respectPrefersColorScheme = true;
}
