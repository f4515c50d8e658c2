import * as browser from "@keyhearth/sdk/browser";
import { hydrateRoot } from "react-dom/client";
import { Root } from "./react.root.tsx";

// The page continues what the server rendered.

declare global {
  interface Window {
    /** What is in the page: the options of the keeper. */
    options: browser.SessionKeeperOptions;
    browser: typeof browser;
    /** The OpenID provider, which the test plays. */
    askProvider: (nonce: string) => Promise<string>;
  }
}

const root = document.getElementById("root");
if (!root) throw new Error("the server rendered no root");
window.browser = browser;
const askProvider = (nonce: string) => window.askProvider(nonce);
hydrateRoot(root, <Root options={window.options} askProvider={askProvider} />, {
  onRecoverableError: (error) => console.error("not as the server rendered it", error),
});
