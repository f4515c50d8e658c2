import { join } from "node:path";
import { fileURLToPath } from "node:url";
import locales from "@react-aria/optimize-locales-plugin";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { nameParts } from "./scripts/parts.ts";
import { preload } from "./scripts/preload.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Where `npm run dev -w @keyhearth/dashboard` sends what is for the service. */
const service = "http://127.0.0.1:3000";

const at = (path: string) => join(root, path);

export default defineConfig({
  root,
  base: "/dashboard/",
  plugins: [
    react(),
    // The page is in English, so texts of its parts in other languages would be pronounced wrongly.
    locales.vite({ locales: ["en-US"] }),
    preload({
      font: /inter-latin-wght-normal.*\.woff2$/,
      start: "/src/start.tsx",
      login: "/src/session/login.tsx",
      inside: "/src/app/inside.tsx",
      overview: "/src/screens/overview/screen.tsx",
    }),
  ],
  build: {
    target: "es2022",
    emptyOutDir: true,
    // The page's policy allows pictures as files, and nothing else is small enough to matter.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // The SDK imports some modules late for pages that need them late.
      checks: { ineffectiveDynamicImport: false },
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          // The editor of policies is loaded in parts that arrive beside each other.
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|scheduler)\//, priority: 1 },
            {
              debugName: "parts of the first load",
              name: nameParts({
                page: [at("index.html"), at("src/main.ts")],
                start: { name: "start", entry: at("src/start.tsx") },
                login: { name: "login", entry: at("src/session/login.tsx") },
                inside: [
                  { name: "inside", entry: at("src/app/inside.tsx") },
                  { name: "overview", entry: at("src/screens/overview/screen.tsx") },
                ],
              }),
            },
            { name: "editor-state", test: /@codemirror\/state|find-cluster-break/ },
            { name: "editor-view", test: /@codemirror\/view|style-mod|w3c-keyname|crelt/ },
            { name: "editor-tools", test: /@codemirror|@lezer/ },
          ],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/public": service, "/.well-known": service, "/frames": service, "/proxy": service },
  },
});
