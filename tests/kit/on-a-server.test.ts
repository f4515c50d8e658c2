import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { KeyhearthProvider } from "@keyhearth/sdk/react";
import { transformSync } from "esbuild";
import { createElement, type ReactElement } from "react";
import { renderToReadableStream } from "react-dom/server.edge";
import { afterEach, describe, expect, test, vi } from "vitest";

// What a server renders of the components: all of it, with the style sheet, and without a browser.

// Node.js removes types, but it does not translate JSX.
registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
    const text = readFileSync(fileURLToPath(url), "utf8");
    const { code } = transformSync(text, { loader: "tsx", jsx: "automatic" });
    return { format: "module", source: code, shortCircuit: true };
  },
});
const { Auth, KitProvider, kitStyles, spanish } = await import("@keyhearth/sdk/react/kit");
const { states } = await import("../../apps/website/snippets/browser/kit-states.tsx");

const options = {
  baseUrl: "https://keys.example.com",
  organizationId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  // The base point of P-256: a key of the right form.
  sessionPublicKey: `04${"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"}4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5`,
};

async function render(shown: ReactElement): Promise<string> {
  const page = createElement(
    "html",
    null,
    createElement("head"),
    createElement("body", null, createElement(KeyhearthProvider, { options }, shown)),
  );
  // React writes the nonce of styles only if it knows it itself. Its types do not name this form yet.
  const nonce = { script: "of-the-page", style: "of-the-page" } as unknown as string;
  return new Response(await renderToReadableStream(page, { nonce })).text();
}

describe("on a server,", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("every state is rendered, and nothing of a browser is touched", async () => {
    const touched: string[] = [];
    for (const name of ["BroadcastChannel", "indexedDB", "localStorage", "document", "window"]) {
      const touch = () => {
        touched.push(name);
        throw new Error(`${name} was touched`);
      };
      vi.stubGlobal(name, new Proxy(class {}, { get: touch, apply: touch, construct: touch }));
    }
    for (const { component, name, show } of states) {
      const html = await render(show({ nonce: "of-the-page" }));
      expect([component, name, html]).toEqual([
        component,
        name,
        expect.stringMatching(/<h2 class="keyhearth-title"/),
      ]);
    }
    expect(touched).toEqual([]);
  });

  test("the style sheet comes once, in the head, with the nonce of the page", async () => {
    const two = [createElement(Auth, { key: 1 }), createElement(Auth, { key: 2 })];
    const provided = { nonce: "of-the-page" };
    const html = await render(createElement(KitProvider, provided, ...two));
    expect(html.split("@keyframes keyhearth-spin")).toHaveLength(2);
    expect(html).toMatch(/<head><style [^>]*nonce="of-the-page"[^>]*>/);
    const without = await render(createElement(Auth, { styles: false }));
    expect(without).not.toContain("<style");
    expect(without).toContain("Log in or sign up");
  });

  test("texts are replaced, a component's own before those around it", async () => {
    const own = createElement(Auth, { methods: ["passkey"], texts: { authTitle: "Bienvenida" } });
    const html = await render(createElement(KitProvider, { texts: spanish }, own));
    expect(html).toContain("Bienvenida");
    expect(html).toContain("Iniciar sesión con una passkey");
  });
});

test("the style sheet concerns the kit alone", () => {
  const selectors = [...kitStyles.matchAll(/(?:^|[}{])\s*([^{}@]+)\{/g)].map(
    ([, list = ""]) => list,
  );
  const foreign = selectors
    .filter((list) => !/^(to|from)$/.test(list))
    .filter((list) => !list.includes(".keyhearth"));
  expect(selectors.length).toBeGreaterThan(40);
  expect(foreign).toEqual([]);
});

test("the Spanish texts are all there, with the same places", async () => {
  const { english } = await import("@keyhearth/sdk/react/kit");
  const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  expect(Object.keys(spanish)).toEqual(Object.keys(english));
  for (const [name, text] of Object.entries(english)) {
    const translated = spanish[name as keyof typeof spanish];
    expect([name, places(translated)]).toEqual([name, places(text)]);
    if (text.split(" ").length > 3) expect(translated).not.toBe(text);
  }
});
