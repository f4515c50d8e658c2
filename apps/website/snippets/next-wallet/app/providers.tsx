"use client";

import { KeyhearthProvider } from "@keyhearth/sdk/react";
import type { ReactNode } from "react";

const quorumPublicKey = process.env.NEXT_PUBLIC_QUORUM_PUBLIC_KEY;

// All of it is public: it is part of the page.
const options = {
  baseUrl: process.env.NEXT_PUBLIC_KEYHEARTH_URL ?? "",
  organizationId: process.env.NEXT_PUBLIC_ORGANIZATION_ID ?? "",
  sessionPublicKey: process.env.NEXT_PUBLIC_SESSION_PUBLIC_KEY ?? "",
  // With it, an address that the signer has not proven is an error.
  ...(quorumPublicKey && { quorumPublicKey }),
};

export function Providers({ children }: { children: ReactNode }) {
  return <KeyhearthProvider options={options}>{children}</KeyhearthProvider>;
}
