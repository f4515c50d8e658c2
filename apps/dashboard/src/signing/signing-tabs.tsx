import { useState } from "react";
import { Tabs } from "../ui/tabs.tsx";
import type { Signer } from "./messages.ts";
import { SignMessage } from "./sign-message.tsx";
import { SignTransaction } from "./sign-transaction.tsx";

/** What a key can sign: a message or a transaction. */
export function SigningTabs({ signer }: { signer: Signer }) {
  const [selected, select] = useState("message");
  return (
    <Tabs
      label="What to sign"
      selected={selected}
      onSelect={select}
      tabs={[
        { id: "message", title: "A message", children: <SignMessage signer={signer} /> },
        {
          ...{ id: "transaction", title: "A transaction" },
          children: <SignTransaction signer={signer} />,
        },
      ]}
    />
  );
}
