import { Box, Diagram, Frame, Line, Words } from "./Diagram.tsx";

/** The programs of an installation, what each stores, and who talks to whom. */
export function Components() {
  return (
    <Diagram
      title="The programs of a production installation. Each frame is a user of the operating system, with its files."
      height={356}
      sentences={[
        "Clients send stamped requests over HTTPS to a proxy, which passes them to the API.",
        "The API process has its own user and no keys. It reads and writes the database, answers queries and delivers webhooks.",
        "The signer process has another user. It has the root key, the keyring and the marks, and talks to the API through one Unix socket.",
        "The courier process has a third user. It has the key that opens messages, and talks to the mail server and the SMS service.",
        "The database has records with tags and encrypted keys. It isn’t trusted.",
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={152} width={120} title="Clients" note="SDK, apps, CLI" kind="outside" />
          <Frame x={164} y={112} width={234} height={136} title="User of the API: no keys" />
          <Box x={186} y={152} width={190} title="API" note="HTTP, queries, delivery" />
          <Box
            x={186}
            y={2}
            width={190}
            title="Receivers of webhooks"
            note="outside"
            kind="outside"
          />
          <Box
            x={186}
            y={290}
            width={190}
            title="Database"
            note="PostgreSQL, or embedded"
            kind="outside"
          />
          <Frame x={452} y={2} width={266} height={210} title="User of the signer" />
          <Box
            x={474}
            y={36}
            width={222}
            title="Signer"
            note="decides, makes and uses keys"
            kind="core"
          />
          <Box
            x={474}
            y={130}
            width={222}
            title="Root key, keyring, marks"
            note="files of the signer"
            kind="core"
          />
          <Frame x={452} y={224} width={266} height={130} title="User of the courier" />
          <Box x={474} y={268} width={222} title="Courier" note="opens and sends messages" />
          <Line d="M122 184h62" head={head} />
          <Line d="M281 152v-84" head={head} />
          <Line d="M281 216v72" head={head} />
          <Line d="M376 172l96 -92" head={head} />
          <Line d="M376 196l96 96" head={head} />
          <Line d="M585 100v28" head={head} />
          <Words x={400} y={104}>
            socket
          </Words>
          <Words x={396} y={276}>
            socket
          </Words>
        </>
      )}
    </Diagram>
  );
}
