import { Box, Diagram, Frame, Line, Words } from "./Diagram.tsx";

/** The containers of an installation, and what each of them reaches. */
export function Containers() {
  return (
    <Diagram
      title="Two directories with a socket are all that the containers share. The signer has no network."
      height={300}
      sentences={[
        "A proxy with TLS is the only way to the API from outside.",
        "The API’s container reaches the database over a network, and the signer and the courier over their sockets.",
        "The signer’s container has no network. Its volume holds the root key, the keyring and the marks.",
        "The courier’s container reaches the mail server, and neither the signer nor the database.",
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={104} width={110} title="Proxy" note="TLS" kind="outside" />
          <Box x={160} y={104} width={170} title="api" note="user 10001" />
          <Box x={160} y={202} width={170} title="database" note="PostgreSQL" kind="outside" />
          <Frame x={480} y={4} width={236} height={112} title="No network" />
          <Box x={504} y={38} width={188} title="signer" note="user 10002, root key" kind="core" />
          <Box x={504} y={142} width={188} title="courier" note="user 10003" />
          <Box
            x={504}
            y={230}
            width={188}
            title="Mail server"
            note="SMTP with TLS"
            kind="outside"
          />
          <Line d="M112 136h46" head={head} />
          <Line d="M245 168v32" head={head} />
          <Line d="M330 126l172-50" head={head} />
          <Line d="M330 146l172 26" head={head} />
          <Line d="M598 206v22" head={head} />
          <Words x={406} y={84}>
            socket
          </Words>
          <Words x={406} y={176}>
            socket
          </Words>
        </>
      )}
    </Diagram>
  );
}
