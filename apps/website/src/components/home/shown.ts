import { translate } from "@docusaurus/Translate";
import type { Path } from "./paths.ts";

export type Picture = Path & {
  /** Of the files in `static/img/shown`. */
  name: string;
  alt: string;
};

export const pictures: Picture[] = [
  {
    name: "wallet",
    title: translate({ id: "home.shown.wallet.title", message: "A wallet, with a passkey" }),
    text: translate({
      id: "home.shown.wallet.text",
      message:
        "An example app that you can run and take apart. Its users sign with a passkey, and the page checks each signature itself.",
    }),
    alt: translate({
      id: "home.shown.wallet.alt",
      message:
        "A form for a transfer of ETH on a phone. Below its button, a signed transaction in hexadecimal digits can be copied.",
    }),
    to: "/getting-started/examples",
    link: translate({ id: "home.shown.wallet.link", message: "Run the examples" }),
  },
  {
    name: "playground",
    title: translate({ id: "home.shown.playground.title", message: "Why a policy says no" }),
    text: translate({
      id: "home.shown.playground.text",
      message:
        "Try policies in your browser before you depend on them. Each part shows its value, as the service does when it denies a request.",
    }),
    alt: translate({
      id: "home.shown.playground.alt",
      message:
        "The result of policies about a payment that is too large: denied, and below each policy the parts and values that caused it.",
    }),
    to: "/concepts/policies/language#playground",
    link: translate({ id: "home.shown.playground.link", message: "Open the playground" }),
  },
  {
    name: "mailbox",
    title: translate({ id: "home.shown.mailbox.title", message: "Mail without a mail server" }),
    text: translate({
      id: "home.shown.mailbox.text",
      message:
        "While you develop, login codes and invitations wait in a mailbox on your machine. Tests read it too.",
    }),
    alt: translate({
      id: "home.shown.mailbox.alt",
      message:
        "A mail with a login code, as the mailbox shows it, and a button that copies the code.",
    }),
    to: "/authentication/email",
    link: translate({ id: "home.shown.mailbox.link", message: "Log users in by email" }),
  },
];
