import type { Requirement } from "./requirement.ts";

const logo = {
  file: "tests/attacks/messages.test.ts",
  names: [
    "an application that chooses the style of a message gets no logo that is oversized, no PNG, a bomb, or at a private address",
  ],
};
const noDownloads =
  "No answer is a file with a name to save it under, and emails have no attachments but the logo.";

export const files: readonly Requirement[] = [
  {
    number: "5.1.1",
    level: 2,
    asks: "The documentation says which files may be uploaded, and how large.",
    answer: {
      note: "Nobody uploads files. The page says which picture may be the logo of an email.",
      pages: [
        {
          title: "How the email looks",
          to: "/embedded-wallets/sub-organization-auth#email-customization",
        },
      ],
    },
  },
  {
    number: "5.2.1",
    level: 1,
    asks: "Files are too small to slow the service.",
    answer: {
      tests: [
        {
          file: "apps/api/src/app.test.ts",
          names: ["a body that is too large is refused, by its stated length or while it is read"],
        },
        logo,
      ],
    },
  },
  {
    number: "5.2.2",
    level: 1,
    asks: "The content of a file is what its type says.",
    answer: { tests: [logo] },
  },
  {
    number: "5.2.3",
    level: 2,
    asks: "Compressed files can’t become huge.",
    answer: {
      note: "A logo may have only so many pixels. Compressed bodies are refused.",
      tests: [
        logo,
        {
          file: "apps/api/src/app.test.ts",
          names: ["a compressed body, or one in UTF-16, is named as what it is"],
        },
      ],
    },
  },
  {
    number: "5.3.1",
    level: 1,
    asks: "Uploaded files are never run.",
    answer: { doesNotApply: "Nobody uploads files, and the site serves only what its build made." },
  },
  {
    number: "5.3.2",
    level: 1,
    asks: "Input can’t choose paths of files.",
    answer: {
      tests: [
        {
          file: "apps/api/src/serve/site.test.ts",
          names: ["addresses … gets the site's own not-found page"],
        },
        {
          file: "packages/engine/src/messages/style.test.ts",
          names: ["the template id … is refused"],
        },
        {
          file: "tests/attacks/messages.test.ts",
          names: [
            "an application that chooses the style of a message reads no other part of a message through its templates",
          ],
        },
      ],
    },
  },
  {
    number: "5.4.1",
    level: 2,
    asks: "Users can’t choose the name under which a download is saved.",
    answer: { doesNotApply: noDownloads },
  },
  {
    number: "5.4.2",
    level: 2,
    asks: "Names of files in headers and emails are encoded.",
    answer: { doesNotApply: noDownloads },
  },
  {
    number: "5.4.3",
    level: 2,
    asks: "Files from strangers are scanned for malware.",
    answer: {
      doesNotApply:
        "The only file from outside is the logo of an email, which is decoded and written again as a small PNG.",
    },
  },
];
