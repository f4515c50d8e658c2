import { translate } from "@docusaurus/Translate";
import { Box, Diagram, Line, Words } from "../diagrams/Diagram.tsx";

/** How keys and addresses follow from the seed of a wallet, and how a private key differs. */
export function WalletTree() {
  const address = translate({ id: "tree.address", message: "Address" });
  return (
    <Diagram
      title={translate({
        id: "tree.title",
        message:
          "A wallet is one seed. Each account is a key that a path and a curve give, with an address.",
      })}
      height={318}
      sentences={[
        translate({
          id: "tree.seed",
          message: "A wallet has one seed, which a mnemonic of 12 to 24 words gives.",
        }),
        translate({
          id: "tree.accounts",
          message:
            "The seed, a path and a curve give the key of an account, such as one for Ethereum, one for Solana and one for Bitcoin.",
        }),
        translate({
          id: "tree.addresses",
          message:
            "The public half of the key, in the account’s format, is its address. You sign with it.",
        }),
        translate({
          id: "tree.single",
          message:
            "A private key has no seed and no path, and addresses in the formats that you name.",
        }),
      ]}
    >
      {(head) => (
        <>
          <Box
            x={2}
            y={86}
            width={170}
            title={translate({ id: "tree.wallet", message: "Wallet" })}
            note={translate({ id: "tree.wallet.note", message: "a seed, 12 to 24 words" })}
            kind="core"
          />
          <Box x={288} y={4} width={190} title="Ethereum" note="m/44'/60'/0'/0/0" kind="core" />
          <Box x={288} y={86} width={190} title="Solana" note="m/44'/501'/0'/0'" kind="core" />
          <Box x={288} y={168} width={190} title="Bitcoin" note="m/84'/0'/0'/0/0" kind="core" />
          <Box
            x={288}
            y={250}
            width={190}
            title={translate({ id: "tree.key", message: "Private key" })}
            note={translate({ id: "tree.key.note", message: "stands alone" })}
            kind="core"
          />
          <Box x={588} y={4} width={130} title={address} note="0x…" />
          <Box x={588} y={86} width={130} title={address} note="base58" />
          <Box x={588} y={168} width={130} title={address} note="bc1q…" />
          <Box
            x={588}
            y={250}
            width={130}
            title={translate({ id: "tree.several", message: "Addresses" })}
            note={translate({ id: "tree.formats", message: "one a format" })}
          />
          <Line d="M172 104l114 -64" head={head} />
          <Line d="M172 118h114" head={head} />
          <Line d="M172 132l114 64" head={head} />
          <Line d="M478 36h108" head={head} />
          <Line d="M478 118h108" head={head} />
          <Line d="M478 200h108" head={head} />
          <Line d="M478 282h108" head={head} />
          <Words x={190} y={66}>
            {translate({ id: "tree.path", message: "path, curve" })}
          </Words>
          <Words x={532} y={28}>
            {translate({ id: "tree.format", message: "format" })}
          </Words>
        </>
      )}
    </Diagram>
  );
}
