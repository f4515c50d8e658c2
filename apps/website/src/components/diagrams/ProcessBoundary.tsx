import { Box, Diagram, Frame, Line, Words } from "./Diagram.tsx";

/** What separates the signer from the rest: a process and a user of its own, and one socket. */
export function ProcessBoundary() {
  return (
    <Diagram
      title="The boundary around the signer is a process of its own. Its machine stays trusted."
      height={250}
      sentences={[
        "The network reaches the API process, which has its own user and no keys.",
        "The API process reaches the signer process through one Unix socket.",
        "The signer process has another user. It alone reads the root key, the keyring and the marks.",
        "All of them run on a machine, and whoever is root there can read all of it.",
      ]}
    >
      {(head) => (
        <>
          <Frame x={182} y={4} width={534} height={240} title="Machine: root reads everything" />
          <Box x={2} y={74} width={130} title="Network" note="stamped requests" kind="outside" />
          <Box x={206} y={74} width={160} title="API process" note="a user without keys" />
          <Box x={206} y={164} width={160} title="Database" note="encrypted keys" kind="outside" />
          <Box
            x={520}
            y={74}
            width={172}
            title="Signer process"
            note="a user of its own"
            kind="core"
          />
          <Box
            x={520}
            y={164}
            width={172}
            title="State directory"
            note="root key, keyring, marks"
            kind="core"
          />
          <Line d="M132 106h72" head={head} />
          <Line d="M366 98h152" head={head} />
          <Line d="M520 116h-152" head={head} />
          <Line d="M286 138v24" head={head} />
          <Line d="M606 138v24" head={head} />
          <Words x={442} y={88}>
            bytes and records
          </Words>
          <Words x={442} y={136}>
            one Unix socket
          </Words>
        </>
      )}
    </Diagram>
  );
}
