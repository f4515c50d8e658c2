import type { PrivateKey } from "@keyhearth/sdk";
import { BadgeCheck, ShieldAlert } from "lucide-react";
import { useEffect, useState } from "react";
import { useCurrent } from "../session/current.tsx";
import { Address } from "../ui/copy.tsx";
import { Tag } from "../ui/tag.tsx";
import type { Stated } from "./check.ts";
import { statedOfKey } from "./stated.ts";

type Verdict = "checking" | "proven" | "not proven" | "not pinned";

/**
 * Checks the signer's statement about an address here, in the browser. Without it, whoever controls the service's machine could
 * show somebody else's address to pay to. Of several statements about one key, one that is proven is enough.
 */
function useVerdict(...stated: readonly Stated[]): Verdict {
  const { quorumPublicKey } = useCurrent().service;
  const [verdict, setVerdict] = useState<Verdict>("checking");
  const asked = JSON.stringify(stated);
  useEffect(() => {
    if (quorumPublicKey === undefined) {
      setVerdict("not pinned");
      return;
    }
    let isGone = false;
    setVerdict("checking");
    void import("./check.ts").then(({ isProven }) => {
      // Each check takes a millisecond or two. In turns, a page of fifty does not hold up what people type.
      setTimeout(() => {
        if (isGone) return;
        const all: Stated[] = JSON.parse(asked);
        const hasOne = all.some((each) => isProven(each, quorumPublicKey));
        setVerdict(hasOne ? "proven" : "not proven");
      }, 0);
    });
    return () => {
      isGone = true;
    };
  }, [asked, quorumPublicKey]);
  return verdict;
}

/**
 * Whether a public key counts as that of a private key: one of its addresses must be proven, because the signer states addresses
 * alone. Without a key to prove them with, it is what the service says.
 */
export function useKeyVerdict(
  privateKey: PrivateKey,
  organizationId: string,
): "checking" | "counts" | "not proven" {
  const verdict = useVerdict(
    ...privateKey.addresses.map((each) => statedOfKey(privateKey, each, organizationId)),
  );
  return verdict === "proven" || verdict === "not pinned" ? "counts" : verdict;
}

export function Proof({ stated }: { stated: Stated }) {
  return <Words verdict={useVerdict(stated)} />;
}

function Words({ verdict }: { verdict: Verdict }) {
  switch (verdict) {
    case "checking":
      return <span className="faint">Checking…</span>;
    case "not pinned":
      return <span className="faint">Not checked: this dashboard was built without the key</span>;
    case "proven":
      return (
        <Tag tone="good">
          <BadgeCheck size={14} aria-hidden />
          Proven by the signer
        </Tag>
      );
    case "not proven":
      return (
        <Tag tone="danger">
          <ShieldAlert size={14} aria-hidden />
          Not proven: do not use it
        </Tag>
      );
  }
}

/** An address in a list, which is shown once it is proven. Without a key to prove it with, it is what the service says. */
export function ProvenAddress({ stated }: { stated: Stated }) {
  const verdict = useVerdict(stated);
  // A long list has no proofs at its end.
  if (verdict === "not proven" && stated.proof === undefined) {
    return <span className="faint">Open the key to check its address</span>;
  }
  return verdict === "proven" || verdict === "not pinned" ? (
    <Address address={stated.address} />
  ) : (
    <Words verdict={verdict} />
  );
}
