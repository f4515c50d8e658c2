import { Box, Diagram, Frame, Line, Words } from "./Diagram.tsx";

/** The parts of an app with embedded wallets, and who may do what. */
export function EmbeddedWallet() {
  return (
    <Diagram
      title="Your organization creates and reads. Only the user’s credential signs."
      height={270}
      sentences={[
        "Your server has an API key of your organization. It creates sub-organizations, starts logins and may read.",
        "The user’s device has a passkey or the key of a session. It stamps requests to the user’s own sub-organization.",
        "Each sub-organization has its own root user and wallets. Your organization can’t sign in it.",
        "Your app sends what the signer signed to the chain.",
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={44} title="Your server" note="API key" />
          <Box x={2} y={164} title="User’s device" note="passkey or session" />
          <Frame x={258} y={4} width={458} height={260} title="Keyhearth" />
          <Box x={286} y={44} width={190} title="Your organization" note="root quorum, policies" />
          <Box
            x={500}
            y={164}
            width={190}
            title="Sub-organization"
            note="user, wallet"
            kind="core"
          />
          <Box
            x={286}
            y={164}
            width={190}
            title="Sub-organization"
            note="user, wallet"
            kind="core"
          />
          <Line d="M152 76h132" head={head} />
          <Line d="M152 196h132" head={head} />
          <Line d="M381 108v54" head={head} />
          <Line d="M420 108l150 54" head={head} />
          <Words x={206} y={66}>
            creates
          </Words>
          <Words x={206} y={186}>
            signs
          </Words>
          <Words x={560} y={128}>
            reads, can’t sign
          </Words>
        </>
      )}
    </Diagram>
  );
}
