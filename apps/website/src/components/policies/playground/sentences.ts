import { translate } from "@docusaurus/Translate";
import type { Decision, Effect, PolicyOutcome } from "@keyhearth/policy/decide";
import { syntax } from "../../try-it/json-syntax.ts";
import type { Expected, ReadFault } from "./read-json.ts";
import type { PresetId, SampleId } from "./samples.ts";

export const presetNames: Record<PresetId, string> = {
  treasury: translate({
    id: "preset.treasury",
    message: "A treasury: a limit for the bot, two people for more",
  }),
  fourEyes: translate({ id: "preset.fourEyes", message: "Two members of a team" }),
  denyWins: translate({ id: "preset.denyWins", message: "A DENY wins over an ALLOW" }),
  tokens: translate({ id: "preset.tokens", message: "Tokens to one address" }),
  guard: translate({ id: "preset.guard", message: "A guard that doesn’t prevent an error" }),
  unknownName: translate({ id: "preset.unknownName", message: "A name that does not exist" }),
  officeHours: translate({ id: "preset.officeHours", message: "Office hours" }),
  interns: translate({ id: "preset.interns", message: "Who must not delete" }),
};

export const sampleNames: Record<SampleId, string> = {
  payment: translate({ id: "sample.payment", message: "The bot pays 5 ETH" }),
  smallPayment: translate({ id: "sample.smallPayment", message: "The bot pays 0.5 ETH" }),
  treasurerPayment: translate({ id: "sample.treasurer", message: "A treasurer pays 5 ETH" }),
  tokenTransfer: translate({ id: "sample.token", message: "The bot sends 1 USDC" }),
  rawPayload: translate({ id: "sample.raw", message: "The bot signs a raw payload" }),
  solanaTransfer: translate({ id: "sample.solana", message: "The bot sends 1 SOL" }),
  createUsers: translate({ id: "sample.users", message: "A treasurer creates a user" }),
  deleteWallets: translate({ id: "sample.delete", message: "An intern deletes a wallet" }),
};

/** The decision in a word. */
export function tellOutcome(outcome: Decision["outcome"]): string {
  switch (outcome) {
    case "OUTCOME_ALLOW":
      return translate({ id: "outcome.allow", message: "allowed" });
    case "OUTCOME_DENY_EXPLICIT":
    case "OUTCOME_DENY_IMPLICIT":
      return translate({ id: "outcome.deny", message: "denied" });
    case "OUTCOME_REQUIRES_CONSENSUS":
      return translate({ id: "outcome.consensus", message: "needs approvals" });
  }
}

/** What decided, with the names of the policies that did. */
export function tellReason({ outcome, reason }: Decision, names: readonly string[]): string {
  const named = { names: names.map((name) => `“${name}”`).join(", ") };
  switch (reason) {
    case "rootQuorum":
      return outcome === "OUTCOME_ALLOW"
        ? translate({
            id: "reason.quorum",
            message:
              "The root quorum approved it, so no policy is asked. This is what each would read.",
          })
        : translate({
            id: "reason.quorumOpen",
            message: "Approvals of root users can still complete the root quorum.",
          });
    case "ownCredentials":
      return translate({
        id: "reason.own",
        message: "Users may change their own credentials unless a policy denies it.",
      });
    case "default":
      return translate({
        id: "reason.default",
        message: "No policy allows it, and what nothing allows does not happen.",
      });
    case "policies":
      if (outcome === "OUTCOME_ALLOW") {
        return translate({ id: "reason.allowed", message: "Allowed by {names}." }, named);
      }
      return outcome === "OUTCOME_DENY_EXPLICIT"
        ? translate(
            { id: "reason.denied", message: "Denied by {names}. A DENY wins over every ALLOW." },
            named,
          )
        : translate(
            { id: "reason.waits", message: "{names} would allow it with more approvals." },
            named,
          );
  }
}

/** What one policy says. */
export function tellPolicyOutcome(outcome: PolicyOutcome, effect: Effect | undefined): string {
  switch (outcome) {
    case "OUTCOME_ALLOW":
      return translate({ id: "policyOutcome.allow", message: "allows it" });
    case "OUTCOME_DENY_EXPLICIT":
      return translate({ id: "policyOutcome.deny", message: "denies it" });
    case "OUTCOME_DENY_IMPLICIT":
      return translate({ id: "policyOutcome.other", message: "does not match" });
    case "OUTCOME_REQUIRES_CONSENSUS":
      return translate({ id: "policyOutcome.waits", message: "waits for approvals" });
    case "OUTCOME_TIME_INACTIVE":
      return translate({ id: "policyOutcome.time", message: "not at this time" });
    case "OUTCOME_ERROR":
      return effect === "EFFECT_DENY"
        ? translate({ id: "policyOutcome.skipped", message: "skipped: it is about other requests" })
        : translate({ id: "policyOutcome.error", message: "has an error, so it allows nothing" });
    default:
      return outcome;
  }
}

const expected: Record<Expected, string> = {
  object: translate({ id: "expected.object", message: "an object" }),
  list: translate({ id: "expected.list", message: "a list" }),
  text: translate({ id: "expected.text", message: "a text in double quotes" }),
  effect: translate({ id: "expected.effect", message: "EFFECT_ALLOW or EFFECT_DENY" }),
  positive: translate({ id: "expected.positive", message: "a whole number from 1" }),
  boolean: translate({ id: "expected.boolean", message: "true or false" }),
  user: translate({ id: "expected.user", message: "the id of one of the users above" }),
  credential: translate({
    id: "expected.credential",
    message: "the id of a credential of this user",
  }),
  instant: translate({
    id: "expected.instant",
    message: "a date and time in UTC, such as 2026-07-06T08:30:00Z",
  }),
};

/** What is wrong with a text, where, and what is accepted. */
export function tellReadFault(fault: ReadFault): string {
  const whole = translate({ id: "readFault.whole", message: "the whole text" });
  switch (fault.kind) {
    case "syntax":
      return translate(
        { id: "readFault.syntax", message: "Line {line}, column {column} is not JSON: {problem}." },
        {
          line: String(fault.line),
          column: String(fault.column),
          problem:
            syntax[fault.code] ??
            translate({ id: "tryIt.json.other", message: "this is not JSON" }),
        },
      );
    case "must":
      return translate(
        { id: "readFault.must", message: "{path} must be {expected}." },
        { path: fault.path || whole, expected: expected[fault.expected] },
      );
    case "missing":
      return translate(
        { id: "readFault.missing", message: "{name} is missing in {path}: add it." },
        { name: fault.name, path: fault.path || whole },
      );
    case "unknown":
      return translate(
        {
          id: "readFault.unknown",
          message: "{name} does not belong into {path}: correct the name or remove it.",
        },
        { name: fault.name, path: fault.path || whole },
      );
    case "twice":
      return translate(
        { id: "readFault.twice", message: "{name} is given twice: remove one of them." },
        { name: fault.name },
      );
    case "large":
      return translate(
        {
          id: "readFault.large",
          message: "This is too much: at most {most} are accepted. Leave some out.",
        },
        { most: fault.most.toLocaleString("en") },
      );
    case "language":
      return translate(
        {
          id: "readFault.language",
          message:
            "The context is not one that the language knows: {message}. The tables below list every name and type.",
        },
        { message: fault.message },
      );
  }
}
