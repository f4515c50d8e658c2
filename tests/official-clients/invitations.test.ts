import type { TurnkeyApiClient } from "@turnkey/sdk-server";
import { beforeAll, describe, expect, test } from "vitest";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { releases } from "./clients.ts";

// Invitations with the official clients. None of them knows that it is not at home.

let product: SharedProduct;

beforeAll(async () => {
  product = await sharedProduct();
});

describe.each(releases)("$name", (release) => {
  let root: TurnkeyApiClient;

  beforeAll(() => {
    root = release.connect(product.url, product.root.organizationId, product.root);
  });

  test("invites people, and withdraws an invitation once", async () => {
    const { userId } = await root.getWhoami();
    const invitations = ["grace@example.com", "ada@example.com"].map((receiverUserEmail) => ({
      receiverUserName: `${receiverUserEmail} of ${release.name}`,
      receiverUserEmail,
      receiverUserTags: [],
      accessType: "ACCESS_TYPE_ALL" as const,
      senderUserId: userId,
    }));
    const { invitationIds, activity } = await root.createInvitations({ invitations });
    expect(new Set(invitationIds).size).toBe(2);
    expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");

    const invitationId = invitationIds[0] ?? "";
    expect((await root.deleteInvitation({ invitationId })).invitationId).toBe(invitationId);
    await expect(root.deleteInvitation({ invitationId })).rejects.toThrow(/invitation not found/);
  });
});
