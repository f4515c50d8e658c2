import { elementOf } from "./element.ts";
import { words } from "./words.ts";

/** A mask of one length for every secret. */
const MASK = "•".repeat(24);

export type Secret = { kind: "mnemonic" | "key"; text: string; passphrase: string };

/**
 * Shows one secret, and hides it when somebody asks, or when people go elsewhere. What is hidden is not in the
 * document. It is gone when the page is left.
 */
export function createShownSecret(): { show(secret: Secret): void; clear(): void } {
  const section = elementOf("shown", HTMLElement);
  const what = elementOf("what", HTMLElement);
  const text = elementOf("key-div", HTMLElement);
  const passphrase = elementOf("passphrase", HTMLElement);
  const label = elementOf("passphrase-label", HTMLElement);
  const button = elementOf("toggle", HTMLButtonElement);
  let secret: Secret | undefined;
  let isShown = false;

  function draw() {
    const hasPassphrase = Boolean(secret?.passphrase);
    section.hidden = !secret;
    what.textContent = secret ? words[secret.kind] : "";
    text.textContent = contentOf(secret?.text);
    passphrase.textContent = contentOf(secret?.passphrase);
    passphrase.hidden = label.hidden = !hasPassphrase;
    label.textContent = words.passphrase;
    button.textContent = isShown ? words.hide : words.show;
    section.classList.toggle("masked", !isShown);
  }

  function contentOf(content: string | undefined): string {
    if (!content) return "";
    return isShown ? content : MASK;
  }

  function setShown(now: boolean) {
    if (isShown === now) return;
    isShown = now;
    draw();
  }

  function clear() {
    secret = undefined;
    isShown = false;
    draw();
  }

  button.addEventListener("click", () => setShown(!isShown));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") setShown(false);
  });
  window.addEventListener("pagehide", clear);
  return {
    show(next) {
      secret = next;
      isShown = true;
      draw();
    },
    clear,
  };
}
