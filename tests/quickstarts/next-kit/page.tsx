"use client";

import { useSession, useWallets } from "@keyhearth/sdk/react";
import { Auth, Export } from "@keyhearth/sdk/react/kit";

/** The components within the quickstart's layout, which has the provider. */
// biome-ignore lint/style/noDefaultExport: Next.js takes a page from there.
export default function Kit() {
  const { status } = useSession();
  const { data: wallets } = useWallets();
  const [wallet] = wallets ?? [];
  if (status === "logged-out") return <Auth login={{ url: "/api/login" }} methods={["passkey"]} />;
  return wallet ? <Export walletId={wallet.walletId} /> : null;
}
