import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: { target: "es2022" },
  // `npm run dev` renews the page while you edit it. The server part runs beside it, with `npm start`.
  server: { port: 4101, proxy: { "/api": "http://localhost:4100" } },
});
