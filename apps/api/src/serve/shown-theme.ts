// The script of the builder that sets the colours before the first paint. `t` is what the reader chose once.
const BUILT_THEME = /document\.documentElement\.setAttribute\("data-theme",(\w+)\|\|"light"\)/;
const BUILT_CHOICE = /setAttribute\("data-theme-choice",(\w+)\|\|"light"\)/;

/**
 * A page that was built to be light, and follows the reader's system until they choose. The attribute tells the page's
 * own script, which offers the choice (`apps/website/src/system-theme.ts`).
 */
export function followSystem(html: string): string {
  return html
    .replace(
      BUILT_THEME,
      'document.documentElement.setAttribute("data-follows-system",""),document.documentElement.setAttribute("data-theme",$1||(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light"))',
    )
    .replace(BUILT_CHOICE, 'setAttribute("data-theme-choice",$1||"system")');
}
