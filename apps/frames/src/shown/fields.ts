import { Refusal } from "../channel/refusal.ts";
import { elementOf } from "./element.ts";
import { words } from "./words.ts";

export type Fields = {
  /** What is in the first field, without the space around it. */
  secret(): string;
  passphrase(): string;
  showPassphrase(isShown: boolean): void;
};

/** The two fields of an import. They are empty when the page is left. */
export function readFields({ areShown }: { areShown: boolean }): Fields {
  const [secret, passphrase] = [
    elementOf("plaintext", HTMLTextAreaElement),
    elementOf("passphrase", HTMLTextAreaElement),
  ];
  const labels = [
    elementOf("plaintext-label", HTMLElement),
    elementOf("passphrase-label", HTMLElement),
  ];
  const names = [words.secret, words.passphrase];
  for (const [index, field] of [secret, passphrase].entries()) {
    const [label, name = ""] = [labels[index], names[index]];
    if (label) label.textContent = name;
    // The labels show only beside a passphrase.
    field.setAttribute("aria-label", name);
    field.addEventListener("paste", () => void emptyClipboard());
  }
  elementOf("heading", HTMLElement).textContent = words.importing;
  elementOf("fields", HTMLElement).hidden = !areShown;
  window.addEventListener("pagehide", () => {
    secret.value = passphrase.value = "";
  });
  return {
    secret() {
      const text = secret.value.trim();
      if (text !== "") return text;
      throw new Refusal("the field is empty; let somebody enter what to import first");
    },
    passphrase: () => passphrase.value,
    showPassphrase(isShown) {
      for (const element of [...labels, passphrase]) element.hidden = !isShown;
      if (!isShown) passphrase.value = "";
    },
  };
}

/** What was pasted stays in the clipboard of every program otherwise. Where the embedding page does not allow it, it does. */
async function emptyClipboard() {
  try {
    await navigator.clipboard.writeText("");
  } catch {
    // Not allowed: the import goes on.
  }
}
