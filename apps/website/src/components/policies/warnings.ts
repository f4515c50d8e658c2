import type { LintCode } from "@keyhearth/policy/advice/lints";

export type Warning = { group: Group; meaning: string; remedy: string };

export const GROUPS = {
  rights: "It allows more than it seems to",
  denials: "A denial that is not one, or is too much",
  errors: "It errs where it should hold",
  never: "It does nothing",
  values: "It compares with the wrong value",
} as const;
type Group = keyof typeof GROUPS;

/** What each code means. The type keeps this complete: a code without an entry does not compile. */
export const warnings: Record<LintCode, Warning> = {
  "consensus-any": {
    group: "rights",
    meaning: "Every user of the organization can do alone what this ALLOW allows.",
    remedy: "Name users or a tag in the consensus.",
  },
  "policy-writer": {
    group: "rights",
    meaning: "One user alone may write policies, and so give itself any right.",
    remedy: "Ask for two approvals, or leave policies out.",
  },
  "sign-unscoped": {
    group: "rights",
    meaning: "Signing is allowed with every key, raw payloads included.",
    remedy: "Test the wallet or key, the transaction, or the encoding of the payload.",
  },
  "raw-payload-bypass": {
    group: "rights",
    meaning:
      "Another policy bounds transactions of a key, and this one lets their bytes be signed as a raw payload.",
    remedy: "Test `activity.params.encoding`, or deny raw payloads for that key.",
  },
  "first-only": {
    group: "rights",
    meaning: "An element of a list is tested by its position; further ones are free.",
    remedy: "Use `all`, or test `count()` as well.",
  },
  "vacuous-all": {
    group: "rights",
    meaning: "`all` is true of an empty list.",
    remedy: "Add `count() > 0`.",
  },
  "args-without-address": {
    group: "rights",
    meaning: "Arguments are tested, and not whose: any contract with an interface may match.",
    remedy: "Test `eth.tx.to` as well.",
  },
  "eip712-domain": {
    group: "rights",
    meaning: "Typed data of this form may be meant for another contract or chain.",
    remedy: "Test `chain_id` and `verifying_contract` of the domain.",
  },
  "lookup-placeholder": {
    group: "rights",
    meaning: "An account from a lookup table does not show its address.",
    remedy: "Test that there are no `address_table_lookups`.",
  },
  "always-matches": {
    group: "rights",
    meaning: "A clause, or a part of it, is true of everything.",
    remedy: "Correct it, or leave it out if you mean it.",
  },
  "deny-can-error": {
    group: "denials",
    meaning: "The DENY errs for some of the requests it is meant for, and then denies nothing.",
    remedy: "Allow what is right instead, or write a DENY for each kind of request.",
  },
  "deny-counts-votes": {
    group: "denials",
    meaning:
      "It denies while there are few approvals, so with the first one, before others can follow.",
    remedy: "Ask for approvals in the consensus of the ALLOW.",
  },
  "deny-everything": {
    group: "denials",
    meaning: "Everything, or every change of policies, is denied to everyone but the root quorum.",
    remedy: "Narrow the condition, or add a consensus.",
  },
  "mixed-key-roots": {
    group: "errors",
    meaning: "It reads two things that no request has both, so it always errs.",
    remedy: "Write a policy for each.",
  },
  "no-short-circuit": {
    group: "errors",
    meaning: "One side of `||` does not exist in requests that the other side is about.",
    remedy: "Write a policy for each side.",
  },
  "slice-may-overflow": {
    group: "errors",
    meaning: "A slice reaches beyond the end of some texts; a test of the length cannot guard it.",
    remedy: "Write a policy without the slice for the short ones.",
  },
  "index-unguarded": {
    group: "errors",
    meaning: "An element is read that may not exist.",
    remedy: "Use `any` or `all` with `count()`.",
  },
  "secret-key-missing": {
    group: "errors",
    meaning: "Secrets without that property err, whatever else is tested.",
    remedy: "Write a policy for each property.",
  },
  "interface-missing": {
    group: "errors",
    meaning: "It reads arguments of a contract whose interface is not stored.",
    remedy: "Store it with `create_smart_contract_interface`.",
  },
  "never-matches": {
    group: "never",
    meaning: "A clause, or a part of it, can never be true.",
    remedy: "Correct it.",
  },
  "allow-shadowed": {
    group: "never",
    meaning: "A DENY covers everything that this ALLOW allows.",
    remedy: "Narrow the DENY, or delete the ALLOW.",
  },
  "consensus-unreachable": {
    group: "never",
    meaning: "No votes of the organization’s users can make the consensus true.",
    remedy: "Ask for fewer approvals, or give more users the tag.",
  },
  "unknown-activity": {
    group: "never",
    meaning: "The service has no such type, kind, resource or action.",
    remedy: "Take one from the table of activities.",
  },
  "unknown-user": {
    group: "never",
    meaning: "The organization has no such user.",
    remedy: "Correct the id, address or name.",
  },
  "unknown-tag": {
    group: "never",
    meaning: "The organization has no such tag. Policies compare ids of tags, not names.",
    remedy: "Take the id from the answer of `create_user_tag`.",
  },
  "unknown-credential": {
    group: "never",
    meaning: "No user has such a credential.",
    remedy: "Correct the id or public key.",
  },
  "unknown-wallet": {
    group: "never",
    meaning: "The organization has no such wallet.",
    remedy: "Take the id from `list_wallets`.",
  },
  "unknown-private-key": {
    group: "never",
    meaning: "The organization has no such private key.",
    remedy: "Take the id from `list_private_keys`.",
  },
  "type-pinned": {
    group: "values",
    meaning: "It names a version of an activity type that newer clients no longer send.",
    remedy: "Test `activity.kind`.",
  },
  "wei-unit": {
    group: "values",
    meaning: "`eth.tx.value` is in wei, and the number looks like ether.",
    remedy: "Write 18 more digits.",
  },
  "account-case": {
    group: "values",
    meaning: "The address of an account is not written the way it is stored.",
    remedy: "Copy it from the answer of `list_wallet_accounts`.",
  },
  "address-case": {
    group: "values",
    meaning: "Text with capitals is compared exactly with something written otherwise.",
    remedy: "Write it in lower case, or wrap both sides in `CaseInsensitiveString`.",
  },
  "spl-owner": {
    group: "values",
    meaning: "A token transfer is compared with a wallet; it goes to a token account.",
    remedy: "Write the address of the token account.",
  },
  "hidden-name": {
    group: "values",
    meaning: "A name in `all`, `any` or `filter` hides another one.",
    remedy: "Give the element a name of its own.",
  },
  "count-field": {
    group: "values",
    meaning: "`count` without parentheses reads like a field.",
    remedy: "Write `count()`.",
  },
};
