import { translate } from "@docusaurus/Translate";
import type { MnemonicFault, PathFault } from "./derive-addresses.ts";

/** What is wrong with a path, and what is accepted. */
export function tellPathFault(fault: PathFault): string {
  switch (fault) {
    case "form":
      return translate({
        id: "pathFault.form",
        message:
          "This is not a path: begin with `m`, and write each step as a number after a slash, with an apostrophe if it is hardened, as in `m/44'/60'/0'/0/0`.",
      });
    case "large":
      return translate({
        id: "pathFault.large",
        message: "A step of this path is too large: each number must be below 2147483648.",
      });
    case "deep":
      return translate({
        id: "pathFault.deep",
        message: "This path has too many steps: no format takes more than ten.",
      });
  }
}

/** What is wrong with a mnemonic, by positions: words are secret. */
export function tellMnemonicFault(fault: MnemonicFault): string {
  switch (fault.kind) {
    case "words":
      return translate(
        {
          id: "mnemonicFault.words",
          message: "This has {given} words, and a mnemonic has 12, 15, 18, 21 or 24.",
        },
        { given: String(fault.given) },
      );
    case "word":
      return translate(
        {
          id: "mnemonicFault.word",
          message: "Word {position} is in no BIP-39 word list: correct its spelling.",
        },
        { position: String(fault.position) },
      );
    case "language":
      return translate(
        {
          id: "mnemonicFault.language",
          message:
            "Word {position} is of another language than the words before it: all words come from one list.",
        },
        { position: String(fault.position) },
      );
    case "checksum":
      return translate({
        id: "mnemonicFault.checksum",
        message:
          "The checksum is wrong: each word is in the list, but one of them is another word than it should be, or two changed places.",
      });
  }
}
