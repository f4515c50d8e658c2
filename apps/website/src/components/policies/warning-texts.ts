import type { LintCode } from "@keyhearth/policy/advice/lints";

/** What each code means. The type keeps this complete: if a code has no entry, this does not compile. */
export const warningTexts: Record<LintCode, { meaning: string; remedy: string }> = {
  "consensus-any": {
    meaning: "Any single user of the organization can do what this ALLOW allows.",
    remedy: "Name users or a tag in the consensus.",
  },
  "policy-writer": {
    meaning: "One user alone can write policies, and so can give themselves any right.",
    remedy: "Require two approvals, or exclude policies from the condition.",
  },
  "sign-unscoped": {
    meaning: "The policy allows signing with every key, including raw payloads.",
    remedy: "Test the wallet or key, the transaction, or the encoding of the payload.",
  },
  "raw-payload-bypass": {
    meaning:
      "Another policy limits the transactions of a key, but this one allows the same bytes to be signed as a raw payload.",
    remedy: "Test `activity.params.encoding`, or deny raw payloads for that key.",
  },
  "first-only": {
    meaning:
      "The policy tests an element of a list by its position. Other elements can be anything.",
    remedy: "Use `all`, or test `count()` as well.",
  },
  "vacuous-all": {
    meaning: "`all` is true for an empty list.",
    remedy: "Add `count() > 0`.",
  },
  "args-without-address": {
    meaning:
      "The policy tests the arguments of a call but not the contract, so any contract with an interface can match.",
    remedy: "Test `eth.tx.to` as well.",
  },
  "eip712-domain": {
    meaning: "Typed data in this form can be for another contract or chain.",
    remedy: "Test the domain’s `chain_id` and `verifying_contract`.",
  },
  "lookup-placeholder": {
    meaning: "An account from a lookup table does not show its address.",
    remedy: "Test that there are no `address_table_lookups`.",
  },
  "always-matches": {
    meaning: "A clause, or a part of it, is always true.",
    remedy: "Correct it. If you mean it, leave it out.",
  },
  "deny-can-error": {
    meaning:
      "For some requests, the DENY reads something that they don’t have and is skipped, or it fails with an error and denies more than it says.",
    remedy: "Write a DENY for each kind of request, and test as well which requests it is about.",
  },
  "deny-counts-votes": {
    meaning:
      "The DENY applies as long as there are too few approvals, so it denies the request before others can approve it.",
    remedy: "Require the approvals in the consensus of the ALLOW.",
  },
  "deny-everything": {
    meaning:
      "The DENY denies everything, or every change of policies, to everyone but the root quorum.",
    remedy: "Narrow the condition, or add a consensus.",
  },
  "mixed-key-roots": {
    meaning:
      "The expression reads two values that are never in the same request, so it always fails with an error.",
    remedy: "Write a separate policy for each.",
  },
  "no-short-circuit": {
    meaning:
      "One side of `||` reads a value that doesn’t exist in the requests that the other side is about.",
    remedy: "Write a policy for each side.",
  },
  "slice-may-overflow": {
    meaning:
      "A slice reaches past the end of some texts. A test of the length doesn’t prevent that.",
    remedy: "Write another policy, without the slice, for short texts.",
  },
  "index-unguarded": {
    meaning: "The expression reads an element that may not exist.",
    remedy: "Use `any` or `all` with `count()`.",
  },
  "secret-key-missing": {
    meaning:
      "If a secret doesn’t have this property, the expression fails, whatever else it tests.",
    remedy: "Write a policy for each property.",
  },
  "interface-missing": {
    meaning: "The expression reads arguments of a contract that has no stored interface.",
    remedy: "Store the interface with `create_smart_contract_interface`.",
  },
  "never-matches": {
    meaning: "A clause, or a part of it, can never be true.",
    remedy: "Correct it.",
  },
  "allow-shadowed": {
    meaning: "A DENY covers everything that this ALLOW allows.",
    remedy: "Narrow the DENY, or delete the ALLOW.",
  },
  "consensus-unreachable": {
    meaning: "No votes of the organization’s users can make the consensus true.",
    remedy: "Require fewer approvals, or give the tag to more users.",
  },
  "unknown-activity": {
    meaning: "The service has no such type, kind, resource or action.",
    remedy: "Use a value from the table of activities.",
  },
  "unknown-user": {
    meaning: "The organization has no such user.",
    remedy: "Correct the id, address or name.",
  },
  "unknown-tag": {
    meaning: "The organization has no such tag. Policies compare the ids of tags, not their names.",
    remedy: "Use the id that `create_user_tag` returned.",
  },
  "unknown-credential": {
    meaning: "No user has such a credential.",
    remedy: "Correct the id or public key.",
  },
  "unknown-wallet": {
    meaning: "The organization has no such wallet.",
    remedy: "Use an id from `list_wallets`.",
  },
  "unknown-private-key": {
    meaning: "The organization has no such private key.",
    remedy: "Use an id from `list_private_keys`.",
  },
  "type-pinned": {
    meaning: "The policy names a version of an activity type that newer clients don’t send.",
    remedy: "Test `activity.kind`.",
  },
  "wei-unit": {
    meaning: "`eth.tx.value` is in wei, but the number looks like an amount in ether.",
    remedy: "Add 18 digits: 1 ETH is `1000000000000000000` wei.",
  },
  "account-case": {
    meaning: "The address of an account isn’t written the way the service stores it.",
    remedy: "Copy it from the answer of `list_wallet_accounts`.",
  },
  "address-case": {
    meaning:
      "The policy compares text exactly, but the same value may be written in a different case.",
    remedy: "Write it in lower case, or wrap both sides in `CaseInsensitiveString`.",
  },
  "spl-owner": {
    meaning:
      "The policy compares an account of a token transfer with a wallet, but tokens move between token accounts.",
    remedy: "Use the address of the token account.",
  },
  "hidden-name": {
    meaning: "A name in `all`, `any` or `filter` hides another one.",
    remedy: "Give the element a different name.",
  },
  "count-field": {
    meaning: "`count` without parentheses looks like a field.",
    remedy: "Write `count()`.",
  },
};
