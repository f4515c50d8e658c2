import { translate } from "@docusaurus/Translate";
import { Sequence } from "../sequences/Sequence.tsx";
import { person, signer } from "./actors.ts";

/** How somebody becomes a user by an invitation. */
export function InvitationSequence() {
  return (
    <Sequence
      title={translate({
        id: "invitation.title",
        message: "An invitation. The token stays in the page, which sends only a proof of it.",
      })}
      actors={[
        person("Ada", translate({ id: "invitation.ada", message: "invites" })),
        signer,
        {
          name: translate({ id: "invitation.inbox", message: "Inbox" }),
          inText: translate({ id: "invitation.inbox.inText", message: "the inbox" }),
          note: translate({ id: "invitation.inbox.note", message: "Bob reads it" }),
          kind: "carrier",
        },
        {
          name: translate({ id: "invitation.page", message: "Your page" }),
          inText: translate({ id: "invitation.page.inText", message: "your page" }),
          note: translate({ id: "invitation.page.note", message: "on Bob’s device" }),
          kind: "trusted",
        },
      ]}
      to={translate({ id: "sequence.to", message: "to" })}
      steps={[
        {
          from: 0,
          to: 1,
          text: translate({
            id: "invitation.asks",
            message: "create_invitations: name, address, tags",
          }),
        },
        {
          from: 1,
          to: 2,
          text: translate({ id: "invitation.mail", message: "email with three ids and a token" }),
        },
        {
          from: 2,
          to: 3,
          text: translate({ id: "invitation.enters", message: "Bob enters the four" }),
        },
        {
          from: 3,
          to: 3,
          text: translate({
            id: "invitation.proves",
            message: "makes a passkey, and a proof for it",
          }),
        },
        {
          from: 3,
          to: 1,
          text: translate({
            id: "invitation.accepts",
            message: "accept_invitation, stamped by the passkey",
          }),
        },
        { from: 1, to: 3, text: translate({ id: "invitation.done", message: "Bob is a user" }) },
      ]}
    />
  );
}
