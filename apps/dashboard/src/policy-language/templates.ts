import type { Draft } from "./draft.ts";
import { emptyDraft } from "./draft.ts";

export type Template = { id: string; label: string; draft: Draft };

/** Common cases. What is in capitals is to be replaced: the warnings name each of them. */
export const templates: readonly Template[] = [
  template("two-approve", "Two of a team sign", {
    policyName: "Two treasurers sign",
    condition: "activity.kind == 'SIGN_TRANSACTION'\n&& wallet.id == 'WALLET_ID'",
    consensus: "approvers.filter(user, user.tags.contains('TAG_ID')).count() >= 2",
  }),
  template("limit", "A program pays small amounts", {
    policyName: "The program pays up to 1 ETH",
    condition: [
      "activity.kind == 'SIGN_TRANSACTION'",
      "&& wallet.id == 'WALLET_ID'",
      "&& eth.tx.chain_id == 1",
      "&& eth.tx.data == '0x'",
      "&& eth.tx.value <= 1000000000000000000",
    ].join("\n"),
    consensus: "approvers.any(user, user.id == 'USER_ID')",
  }),
  template("receiver", "A program pays known receivers", {
    policyName: "The program pays the supplier",
    condition: [
      "activity.kind == 'SIGN_TRANSACTION'",
      "&& wallet.id == 'WALLET_ID'",
      "&& eth.tx.chain_id == 1",
      "&& eth.tx.to in ['0x0000000000000000000000000000000000000000']",
    ].join("\n"),
    consensus: "approvers.any(user, user.id == 'USER_ID')",
  }),
  template("hours", "Only in office hours", {
    policyName: "The program pays in office hours",
    condition: "activity.kind == 'SIGN_TRANSACTION' && wallet.id == 'WALLET_ID'",
    consensus: "approvers.any(user, user.id == 'USER_ID')",
    time: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')",
  }),
  template("create-wallets", "Somebody creates wallets", {
    policyName: "Support creates wallets",
    condition: "activity.resource == 'WALLET' && activity.action == 'CREATE'",
    consensus: "approvers.any(user, user.tags.contains('TAG_ID'))",
  }),
  template("write-policies", "Two change policies", {
    policyName: "Two administrators change policies",
    condition: "activity.resource == 'POLICY'",
    consensus: "approvers.filter(user, user.tags.contains('TAG_ID')).count() >= 2",
  }),
  template("raw", "Nothing that nobody can read is signed", {
    policyName: "No raw payloads",
    effect: "EFFECT_DENY",
    condition: "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']",
  }),
  template("exports", "Nothing is exported", {
    policyName: "No exports",
    effect: "EFFECT_DENY",
    condition: "activity.action == 'EXPORT'",
  }),
];

function template(id: string, label: string, draft: Partial<Draft>): Template {
  return { id, label, draft: { ...emptyDraft, ...draft } };
}
