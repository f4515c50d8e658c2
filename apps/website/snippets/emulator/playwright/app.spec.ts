import { connectEmulator } from "@keyhearth/cli/emulator";
import { expect, test } from "@playwright/test";

const emulator = connectEmulator("http://localhost:3100");

test("the page reaches the emulator", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Keyhearth" })).toBeVisible();
});

test("a session has ended an hour later", async () => {
  const before = await emulator.now();
  const after = await emulator.moveClock(60 * 60 * 1000);
  expect(after - before).toBeGreaterThanOrEqual(60 * 60 * 1000);
});
