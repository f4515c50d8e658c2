import type { Senders } from "@site/plugins/api-reference/reference.ts";

/** What each kind of sender of the contract is called on a page. A test compares this with the engine's own list. */
const NAMES: Record<string, string> = {
  user: "users of the organization with this permission, and its root quorum",
  "any user": "every user of the organization, without a permission",
  "user by the parent's id": "a user of a sub-organization who names the parent’s id instead",
  "parent's user":
    "for a sub-organization, users of its parent with this permission in the parent, and the parent’s root quorum",
  "attested key": "a key that the login’s token attests",
  "recovery key": "the key of a recovery email, for its own user",
  newcomer: "somebody who was invited, by the passkey that the request registers",
  founder: "the founder of a new organization, by a credential that the request registers",
};

/** Who may send a submission, a phrase for each kind of sender. */
export function phrasesOf({ by, own, rootQuorumOnly }: Senders): string[] {
  const named = by.map((sender) => {
    if (sender === "user" && rootQuorumOnly === "always") return "the root quorum alone";
    const phrase = NAMES[sender];
    if (phrase === undefined) throw new Error(`the site has no words for the sender \`${sender}\``);
    return phrase;
  });
  return [
    ...named,
    // The key of a recovery email is already named as what its user needs.
    ...(own && !by.includes("recovery key") ? ["users for themselves, without a permission"] : []),
    ...(rootQuorumOnly === "sometimes"
      ? ["some of what it can ask for: the root quorum alone"]
      : []),
  ];
}

/** Whether a user may send it for themselves, by any credential, without a policy that allows it. */
export function needsNoPermission({ by, own }: Senders): boolean {
  return by.includes("any user") || (own && !by.includes("recovery key"));
}

/** What users need to send it about themselves. */
export function forOneself({ by, own, rootQuorumOnly }: Senders): string {
  if (rootQuorumOnly === "always") return "only the root quorum";
  if (by.includes("recovery key"))
    return "with the key of a recovery email, or with the permission";
  return needsNoPermission({ by, own, rootQuorumOnly })
    ? "without a permission"
    : "with the permission";
}
