import type { Messages } from "../channel/channel.ts";
import { textOf } from "../channel/given.ts";
import { elementOf } from "../shown/element.ts";
import { parseSettings, type Settings, type SettingsPage, type Styles } from "./parse.ts";

/** How the embedding page wants a page to look. What was applied is applied again when the page is loaded the next time. */
export function createSettings({
  page,
  areApplied,
  onPassphrase = () => {},
}: {
  page: SettingsPage;
  areApplied: boolean;
  onPassphrase?: (isShown: boolean) => void;
}): { messages: Messages } {
  const entry = `keyhearth-frame-settings:${page}`;
  const main = elementOf(page === "export" ? "key-div" : "plaintext", HTMLElement);
  const passphrase = elementOf("passphrase", HTMLElement);

  function apply({ styles, passphraseStyles, enablePassphrase }: Settings) {
    style(main, styles);
    style(passphrase, passphraseStyles);
    const { backgroundColor, labelColor } = styles;
    for (const each of [document.documentElement, document.body]) {
      each.style.backgroundColor = backgroundColor ?? "";
    }
    for (const label of document.querySelectorAll("label")) label.style.color = labelColor ?? "";
    onPassphrase(enablePassphrase);
  }

  function applyKept() {
    try {
      const kept = localStorage.getItem(entry);
      if (kept !== null) apply(parseSettings(kept, page));
    } catch {
      // Storage that is blocked, or settings of another version: the page looks as it does by itself.
    }
  }

  function keep(text: string) {
    try {
      localStorage.setItem(entry, text);
    } catch {
      // They are applied all the same.
    }
  }

  if (areApplied) applyKept();
  return {
    messages: {
      APPLY_SETTINGS(given) {
        const text = textOf(given);
        apply(parseSettings(text, page));
        keep(text);
        return { type: "SETTINGS_APPLIED", value: true };
      },
    },
  };
}

/** Replaces all that was set before. */
function style(element: HTMLElement, { labelColor: _, ...styles }: Styles) {
  element.removeAttribute("style");
  Object.assign(element.style, styles);
}
