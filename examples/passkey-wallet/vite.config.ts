import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    // The page's policy allows files of its own, and no data in their place.
    assetsInlineLimit: 0,
    // The SDK loads parts late for pages that need few of them. This one needs them from the start.
    rolldownOptions: { checks: { ineffectiveDynamicImport: false } },
  },
  // `npm run dev` renews the page while you edit it. The server part runs beside it, with `npm start`.
  server: { port: 4101, proxy: { "/api": "http://localhost:4100" } },
});
