import { ApiError, invalid, notFound, shorten } from "@keyhearth/engine/errors";
import { OrganizationId, WalletId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderWalletAccount } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { findWalletAccount } from "../store/wallet-accounts.ts";
import { WalletAccount } from "../wire/objects.ts";

/** PostgreSQL refuses texts with a NUL, even in a comparison. */
const isText = (value: string) => !/\p{Cc}/u.test(value);

/** An account of a wallet, found by its address or path. */
export const getWalletAccount = defineQuery({
  name: "get_wallet_account",
  tag: "Wallets",
  summary: "Get wallet account",
  description:
    "Get an account of a wallet by its address or its path. If both are given, both must match.",
  requestName: "GetWalletAccountRequest",
  responseName: "GetWalletAccountResponse",
  request: z.object({
    organizationId: OrganizationId,
    walletId: WalletId,
    address: z
      .string()
      .max(256, "must have at most 256 characters")
      .refine(isText, "must not contain control characters")
      .describe("Address of the account. Ethereum addresses match in any case.")
      .meta({ examples: ["0x9858EfFD232B4033E47d90003D41EC34EcaEda94"] })
      .optional(),
    path: z
      .string()
      .max(256, "must have at most 256 characters")
      .refine(isText, "must not contain control characters")
      .describe("Derivation path of the account, as it was requested.")
      .meta({ examples: ["m/44'/60'/0'/0/0"] })
      .optional(),
  }),
  response: z.object({ account: WalletAccount }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
    address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  },

  async answer({ db, organizationId, document }, { walletId, ...request }) {
    // An empty text means unset.
    const address = request.address || undefined;
    const path = request.path || undefined;
    if (address === undefined && path === undefined) {
      throw invalid("address", "give `address` or `path`, or both");
    }
    if (!document.wallets.some((wallet) => wallet.walletId === walletId)) {
      throw notFound("walletId", "wallet", walletId);
    }
    const account = await findWalletAccount(db, organizationId, walletId, { address, path });
    if (!account) throw accountNotFound({ address, path });
    return { account: renderWalletAccount(account, { organizationId }) };
  },
});

/** Clients look for this text. */
function accountNotFound({
  address,
  path,
}: {
  address?: string | undefined;
  path?: string | undefined;
}) {
  const [field, given] = address === undefined ? ["path", path ?? ""] : ["address", address];
  const message = `wallet account not found: Could not find wallet account with ${field}: ${shorten(given)}`;
  return new ApiError("NOT_FOUND", "NOT_FOUND", message, { field });
}
