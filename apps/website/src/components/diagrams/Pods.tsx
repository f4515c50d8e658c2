import { Box, Diagram, Frame, Line, Words } from "./Diagram.tsx";

/** The pods of the manifests, what ties them to one node, and what each reaches. */
export function Pods() {
  return (
    <Diagram
      title="Three pods on one node. They meet at sockets on shared volumes, and the signer has no network."
      height={292}
      sentences={[
        "The ingress controller reaches the API’s pod, and nothing else does.",
        "The API’s pod reaches PostgreSQL and receivers of webhooks over the network, and the two others by sockets on volumes.",
        "The signer’s pod has no network. A volume holds its root key, keyring and marks.",
        "The courier’s pod reaches the mail server.",
        "The sockets tie all of them to one node, and anyone who can start a pod there can read the root key.",
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={104} width={104} title="Ingress" note="TLS" kind="outside" />
          <Frame x={142} y={2} width={440} height={210} title="Node" />
          <Box x={164} y={104} width={150} title="API" note="pod and volume" />
          <Box x={404} y={38} width={156} title="Signer" note="no network" kind="core" />
          <Box x={404} y={132} width={156} title="Courier" note="pod and volume" />
          <Box x={164} y={226} width={150} title="PostgreSQL" note="yours" kind="outside" />
          <Box x={620} y={132} width={98} title="Mail, SMS" note="TLS" kind="outside" />
          <Line d="M106 136h56" head={head} />
          <Line d="M314 128l88 -50" head={head} />
          <Line d="M314 146l88 16" head={head} />
          <Line d="M239 168v56" head={head} />
          <Line d="M560 164h58" head={head} />
          <Words x={348} y={92}>
            socket
          </Words>
          <Words x={360} y={180}>
            socket
          </Words>
        </>
      )}
    </Diagram>
  );
}
