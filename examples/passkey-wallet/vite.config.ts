import { globSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` renews the pages while you edit them. The server part runs beside it, with `npm start`.
const ours = ["/config", "/sign-up", "/wallet-sign-up", "/keyhearth"];
const proxy = Object.fromEntries(ours.map((path) => [path, "http://localhost:4100"]));

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    // The page's policy allows files of its own, and no data in their place.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: [
        "index.html",
        ...globSync("code-examples/*/index.html", { cwd: import.meta.dirname }),
      ],
      // The SDK loads parts late for pages that need few of them. The wallet needs them from the start.
      checks: { ineffectiveDynamicImport: false },
    },
  },
  // This folder, and the packages beside it. In a clone, Vite would also serve the keys in its data directory.
  server: { port: 4101, proxy, fs: { allow: [".", "../../node_modules", "../../packages"] } },
});
