import { translate } from "@docusaurus/Translate";
import { Box, Diagram, Line, Words } from "../diagrams/Diagram.tsx";

/** Which credentials stamp requests, and which only start a session. */
export function CredentialKinds() {
  const stamps = translate({ id: "credentials.stamps", message: "stamps" });
  return (
    <Diagram
      title={translate({
        id: "credentials.title",
        message: "Some credentials stamp requests. The others start a session, whose key stamps.",
      })}
      height={236}
      sentences={[
        translate({
          id: "credentials.person",
          message: "A passkey or a key of a wallet stamps a request after a prompt.",
        }),
        translate({
          id: "credentials.program",
          message: "An API key stamps without asking, so it is for programs.",
        }),
        translate({
          id: "credentials.login",
          message:
            "An email address, a phone number or a social login stamps nothing. A login with it registers the key of a session.",
        }),
        translate({
          id: "credentials.session",
          message: "The key of a session stamps until it expires.",
        }),
      ]}
    >
      {(head) => (
        <>
          <Box
            x={2}
            y={4}
            width={210}
            title={translate({ id: "credentials.passkey", message: "Passkey, wallet key" })}
            note={translate({ id: "credentials.passkey.note", message: "with a prompt" })}
          />
          <Box
            x={2}
            y={86}
            width={210}
            title={translate({ id: "credentials.apiKey", message: "API key" })}
            note={translate({ id: "credentials.apiKey.note", message: "of a program" })}
          />
          <Box
            x={2}
            y={168}
            width={210}
            title={translate({ id: "credentials.contact", message: "Contact, social login" })}
            note={translate({ id: "credentials.contact.note", message: "stamps nothing itself" })}
            kind="outside"
          />
          <Box
            x={316}
            y={168}
            width={180}
            title={translate({ id: "credentials.key", message: "Key of a session" })}
            note={translate({ id: "credentials.key.note", message: "expires by itself" })}
          />
          <Box
            x={560}
            y={86}
            width={158}
            title={translate({ id: "credentials.request", message: "Request" })}
            note={translate({ id: "credentials.request.note", message: "with a stamp" })}
            kind="core"
          />
          <Line d="M212 36h427v48" head={head} />
          <Line d="M212 118h346" head={head} />
          <Line d="M212 200h102" head={head} />
          <Line d="M496 200h143v-48" head={head} />
          <Words x={400} y={28}>
            {stamps}
          </Words>
          <Words x={400} y={110}>
            {stamps}
          </Words>
          <Words x={263} y={192}>
            {translate({ id: "credentials.logsIn", message: "login" })}
          </Words>
          <Words x={566} y={192}>
            {stamps}
          </Words>
        </>
      )}
    </Diagram>
  );
}
