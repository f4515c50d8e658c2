import { defineConfig } from "@playwright/test";

const url = "http://localhost:3100";

export default defineConfig({
  webServer: [
    { command: "npx --no keyhearth dev --port 3100", url: `${url}/readyz` },
    // Your application, which finds the emulator in its environment.
    { command: "node app.mjs", url: "http://localhost:3101", env: { KEYHEARTH_URL: url } },
  ],
  use: { baseURL: "http://localhost:3101" },
});
