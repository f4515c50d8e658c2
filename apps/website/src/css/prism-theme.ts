import type { PrismTheme } from "prism-react-renderer";

/**
 * How code is coloured. The colours are variables of tokens.css, one set for each theme of the site: colours written
 * here would be the light theme's in every page as it is served, and dark pages would flash until React is there.
 */
export const ember: PrismTheme = {
  plain: { color: "var(--kh-code)", backgroundColor: "var(--kh-sunken)" },
  styles: [
    {
      types: ["comment", "prolog", "cdata"],
      style: { color: "var(--kh-code-comment)", fontStyle: "italic" },
    },
    {
      types: ["keyword", "operator", "boolean", "builtin"],
      style: { color: "var(--kh-code-keyword)" },
    },
    {
      types: ["string", "char", "attr-value", "inserted"],
      style: { color: "var(--kh-code-string)" },
    },
    { types: ["number", "constant", "symbol"], style: { color: "var(--kh-code-number)" } },
    { types: ["property", "attr-name", "variable"], style: { color: "var(--kh-code-property)" } },
    { types: ["function", "class-name", "tag"], style: { color: "var(--kh-code-function)" } },
    { types: ["deleted"], style: { color: "var(--kh-code-deleted)" } },
    { types: ["punctuation"], style: { color: "var(--kh-code-punctuation)" } },
  ],
};
