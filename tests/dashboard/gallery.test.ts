import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pageHeaders } from "../../apps/dashboard/src/headers.ts";
import { closePages, hasBrowser, sharedBrowser } from "../start/browser.ts";
import { axeCleanEverywhere } from "./harness.ts";

// The parts of all screens, under the policy of the dashboard.

describe.runIf(hasBrowser)("in a browser,", () => {
  let stop = () => {};
  let origin = "";

  beforeAll(async () => {
    const files = await buildGallery();
    const server = createServer((request, response) => {
      const file = files.get(request.url ?? "") ?? files.get("/index.html");
      const { type = "text/html", content = "" } = file ?? {};
      response.writeHead(200, { ...pageHeaders(), "Content-Type": type }).end(content);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    stop = () => void server.close();
  }, 120_000);
  afterAll(async () => {
    await closePages();
    stop();
  });

  test("every part is accessible in every state, and works with the keyboard", async () => {
    const context = await (await sharedBrowser()).newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
    });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (line) => {
      if (line.type() === "error") complaints.push(line.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(origin);
    const button = (name: string) => page.getByRole("button", { name, exact: true });

    await button("Save").click();
    await page.getByText("Give it a name.").waitFor();
    await page.getByText("Choose a chain.").waitFor();
    // What is wrong is said with the field, and the first such field is focused.
    const name = page.getByRole("textbox", { name: "Name" });
    expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
    const described = await name.getAttribute("aria-describedby");
    const text = await page.locator(`[id="${described?.split(" ").at(-1)}"]`).textContent();
    expect(text).toBe("Give it a name.");
    await axeCleanEverywhere(page, "gallery");

    await page.getByRole("button", { name: /Chain/ }).focus();
    for (const key of ["Enter", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await expect
      .poll(() => page.getByRole("button", { name: /Chain/ }).textContent())
      .toContain("Solana");
    await page.getByRole("button", { name: /Chain/ }).click();
    await page.getByRole("listbox").waitFor();
    await axeCleanEverywhere(page, "gallery select");
    await page.keyboard.press("Escape");
    await page.getByPlaceholder("Type a name").fill("ether");
    await page.getByRole("option", { name: "Ethereum" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await page.getByPlaceholder("Type a name").inputValue()).toBe("Ethereum");

    await button("Delete a wallet").click();
    const dialog = page.getByRole("alertdialog", { name: "Delete the wallet?" });
    await dialog.getByLabel("Type Treasury to go on").fill("Treasur");
    expect(await dialog.getByRole("button", { name: "Delete it" }).isDisabled()).toBe(true);
    await page.keyboard.type("y");
    await axeCleanEverywhere(page, "gallery confirmation");
    await dialog.getByRole("button", { name: "Delete it" }).click();
    await page.getByText("Deleted").waitFor();
    expect(await dialog.count()).toBe(0);

    await button("Open a dialog").click();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog", { name: "A dialog" }).count()).toBe(0);
    await button("More").click();
    await axeCleanEverywhere(page, "gallery menu");
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByText("Renamed").waitFor();
    await button("Tell").click();
    await axeCleanEverywhere(page, "gallery toasts");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

async function buildGallery() {
  const root = fileURLToPath(new URL("gallery", import.meta.url));
  const built = await build({
    ...{ root, configFile: false, logLevel: "warn", plugins: [react()] },
    build: {
      write: false,
      minify: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  if (!("output" in built)) throw new Error("Vite wrote more than one bundle");
  const types: Record<string, string> = {
    js: "text/javascript",
    css: "text/css",
    html: "text/html",
  };
  return new Map(
    built.output.map((file) => [
      `/${file.fileName}`,
      {
        type: types[file.fileName.split(".").at(-1) ?? ""] ?? "application/octet-stream",
        content: file.type === "chunk" ? file.code : file.source,
      },
    ]),
  );
}
