import type { Clause } from "@keyhearth/policy/ast";
import type { Tried } from "./try-expression.ts";

export type PresetId = "largePayment" | "team" | "guard" | "unknownName" | "officeHours";

/** The expressions that the playground offers, each with the outcome that a test expects. */
export const PRESETS: {
  id: PresetId;
  clause: Clause;
  expression: string;
  request: string;
  outcome: Tried["outcome"];
}[] = [
  {
    id: "largePayment",
    clause: "condition",
    expression: [
      "activity.kind == 'SIGN_TRANSACTION'",
      "&& eth.tx.to == '0x8ba1f109551bD432803012645Ac136ddd64DBA72'",
      "&& eth.tx.value <= 1000000000000000000",
    ].join("\n"),
    request: json({
      activity: { kind: "SIGN_TRANSACTION" },
      eth: {
        tx: { to: "0x8ba1f109551bd432803012645ac136ddd64dba72", value: "5000000000000000000" },
      },
    }),
    outcome: "false",
  },
  {
    id: "team",
    clause: "consensus",
    expression: "approvers.filter(user, user.tags.contains('treasurer')).count() >= 2",
    request: json({
      approvers: [
        { id: "ada", alias: "Ada", email: "", tags: ["treasurer"] },
        { id: "bob", alias: "Bob", email: "", tags: ["treasurer"] },
      ],
    }),
    outcome: "true",
  },
  {
    id: "guard",
    clause: "condition",
    expression: "eth.tx.data != '0x' && eth.tx.data[0..10] == '0xa9059cbb'",
    request: json({ eth: { tx: { data: "0x" } } }),
    outcome: "error",
  },
  {
    id: "unknownName",
    clause: "condition",
    expression: "wallet.name == 'Treasury'",
    request: json({ wallet: { id: "7c2e3d4f", label: "Treasury" } }),
    outcome: "refused",
  },
  {
    id: "officeHours",
    clause: "time",
    expression: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')",
    request: json({ time: { now: "2026-07-06T08:30:00Z" } }),
    outcome: "true",
  },
];

/** Takes the quotes off amounts: they are too large for JavaScript numbers. */
function json(value: object): string {
  return JSON.stringify(value, null, 2).replace(/"(\d{16,})"/g, "$1");
}
