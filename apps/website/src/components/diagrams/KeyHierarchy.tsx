import { Box, Diagram, Frame, Line, Words } from "./Diagram.tsx";

/** Which key opens which, from the root key down to the keys of users. */
export function KeyHierarchy() {
  return (
    <Diagram
      title="The keys of an installation. Only the signer’s machine has the first two; the database has the rest, encrypted."
      height={330}
      sentences={[
        "The root key is a file of the signer, and opens the keyring.",
        "The keyring is a file of the signer, encrypted with the root key. It has the data keys of each epoch, and the keys that sign.",
        "A data key of an epoch authenticates records, and another encrypts the seeds and private keys of users. The results are in the database.",
        "A seed gives the keys of a wallet’s accounts. They are derived when they are used, and stored nowhere.",
        "The keys that sign make bundles, tokens, statements, receipts and webhook events. Clients pin their public halves.",
      ]}
    >
      {(head) => (
        <>
          <Frame x={2} y={2} width={340} height={216} title="Signer’s machine" />
          <Box x={24} y={40} title="Root key" note="a file, mode 0600" kind="core" />
          <Box x={24} y={138} title="Keyring" note="encrypted file" kind="core" />
          <Box x={186} y={40} width={136} title="Data keys" note="one pair an epoch" kind="core" />
          <Box
            x={186}
            y={138}
            width={136}
            title="Signing keys"
            note="five, and one seed"
            kind="core"
          />
          <Frame x={400} y={2} width={318} height={216} title="Database" />
          <Box
            x={424}
            y={40}
            width={270}
            title="Records, with a tag"
            note="HMAC-SHA-256, by epoch"
          />
          <Box
            x={424}
            y={138}
            width={270}
            title="Seeds, private keys"
            note="AES-256-GCM, bound to their id"
          />
          <Box
            x={424}
            y={252}
            width={270}
            title="Keys of accounts"
            note="derived in the signer’s memory"
            kind="outside"
          />
          <Box
            x={186}
            y={252}
            width={136}
            title="Clients"
            note="pin public halves"
            kind="outside"
          />
          <Line d="M99 104v32" head={head} />
          <Line d="M174 160l30 -54" head={head} />
          <Line d="M174 172h10" head={head} />
          <Line d="M322 64h100" head={head} />
          <Line d="M322 84l100 76" head={head} />
          <Line d="M559 202v48" head={head} />
          <Line d="M254 202v48" head={head} />
          <Words x={62} y={124}>
            opens
          </Words>
        </>
      )}
    </Diagram>
  );
}
