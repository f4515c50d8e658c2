import { translate } from "@docusaurus/Translate";
import { Box, Diagram, Frame, Line, Words } from "../diagrams/Diagram.tsx";

/** What an organization's document holds, and what lies beside it. */
export function OrganizationDocument() {
  return (
    <Diagram
      title={translate({
        id: "document.title",
        message:
          "One document holds everything that must not be forged. A wallet or a private key counts only while the document lists it.",
      })}
      height={214}
      sentences={[
        translate({
          id: "document.inside",
          message:
            "The document has the root quorum, users with their credentials, tags, policies and features, and a line for each wallet and private key.",
        }),
        translate({
          id: "document.tag",
          message: "The signer adds a tag to it, which nobody else can make.",
        }),
        translate({
          id: "document.beside",
          message:
            "Beside it are wallets and private keys, encrypted, and activities with their votes and results.",
        }),
        translate({
          id: "document.children",
          message: "A sub-organization has a document of its own, which names its parent.",
        }),
      ]}
    >
      {(head) => (
        <>
          <Frame
            x={2}
            y={2}
            width={458}
            height={208}
            title={translate({ id: "document.frame", message: "Document, with the signer’s tag" })}
          />
          <Box
            x={20}
            y={40}
            width={134}
            title={translate({ id: "document.quorum", message: "Root quorum" })}
            note={translate({ id: "document.quorum.note", message: "users, threshold" })}
            kind="core"
          />
          <Box
            x={164}
            y={40}
            width={134}
            title={translate({ id: "document.users", message: "Users" })}
            note={translate({ id: "document.users.note", message: "with credentials" })}
            kind="core"
          />
          <Box
            x={308}
            y={40}
            width={134}
            title={translate({ id: "document.tags", message: "Tags" })}
            note={translate({ id: "document.tags.note", message: "groups of users" })}
            kind="core"
          />
          <Box
            x={20}
            y={124}
            width={134}
            title={translate({ id: "document.policies", message: "Policies" })}
            note="ALLOW, DENY"
            kind="core"
          />
          <Box
            x={164}
            y={124}
            width={134}
            title={translate({ id: "document.features", message: "Features" })}
            note={translate({ id: "document.features.note", message: "settings" })}
            kind="core"
          />
          <Box
            x={308}
            y={124}
            width={134}
            title={translate({ id: "document.lines", message: "Lines" })}
            note={translate({ id: "document.lines.note", message: "one for each key" })}
            kind="core"
          />
          <Box
            x={528}
            y={146}
            width={190}
            title={translate({ id: "document.keys", message: "Wallets, private keys" })}
            note={translate({ id: "document.keys.note", message: "encrypted" })}
          />
          <Box
            x={528}
            y={74}
            width={190}
            title={translate({ id: "document.activities", message: "Activities" })}
            note={translate({ id: "document.activities.note", message: "votes and results" })}
          />
          <Box
            x={528}
            y={2}
            width={190}
            title={translate({ id: "document.subs", message: "Sub-organizations" })}
            note={translate({ id: "document.subs.note", message: "documents of their own" })}
            kind="outside"
          />
          <Line d="M442 170h84" head={head} />
          <Words x={494} y={162}>
            {translate({ id: "document.lists", message: "lists" })}
          </Words>
        </>
      )}
    </Diagram>
  );
}
