import type { PrismTheme } from "prism-react-renderer";

/** Code colours of the light theme; each is at least 4.5:1 on the code background. */
export const emberLight: PrismTheme = {
  plain: { color: "#1d2223", backgroundColor: "#eff0ec" },
  styles: [
    { types: ["comment", "prolog", "cdata"], style: { color: "#5c6360", fontStyle: "italic" } },
    { types: ["keyword", "operator", "boolean", "builtin"], style: { color: "#9c3407" } },
    { types: ["string", "char", "attr-value", "inserted"], style: { color: "#2f6330" } },
    { types: ["number", "constant", "symbol"], style: { color: "#744500" } },
    { types: ["property", "attr-name", "variable"], style: { color: "#1f5a72" } },
    { types: ["function", "class-name", "tag"], style: { color: "#5a3d8a" } },
    { types: ["deleted"], style: { color: "#a3201b" } },
    { types: ["punctuation"], style: { color: "#4c5351" } },
  ],
};

/** Code colours of the dark theme. */
export const emberDark: PrismTheme = {
  plain: { color: "#e8ebe7", backgroundColor: "#1b1f20" },
  styles: [
    { types: ["comment", "prolog", "cdata"], style: { color: "#98a19d", fontStyle: "italic" } },
    { types: ["keyword", "operator", "boolean", "builtin"], style: { color: "#ff9d66" } },
    { types: ["string", "char", "attr-value", "inserted"], style: { color: "#a9cf8f" } },
    { types: ["number", "constant", "symbol"], style: { color: "#f0c36d" } },
    { types: ["property", "attr-name", "variable"], style: { color: "#8ec7dd" } },
    { types: ["function", "class-name", "tag"], style: { color: "#c9b0f2" } },
    { types: ["deleted"], style: { color: "#ff8f85" } },
    { types: ["punctuation"], style: { color: "#aeb5b1" } },
  ],
};
