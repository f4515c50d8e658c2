import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { childrenOf, type Expression } from "./ast.ts";
import type { Checked } from "./check.ts";
import { decide } from "./decide.ts";
import { type Environment, type Input, makeEnvironment, unread } from "./environment.ts";
import { type Compiled, compile, evaluateDenial, prepare } from "./evaluate.ts";
import { expression, roots, tryCompile } from "./generate.testing.ts";
import { mapChildren } from "./logic/keys.ts";
import { interpretDenial } from "./reference.testing.ts";
import { isFailure } from "./values.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const timeout = (isLong ? 60 : 2) * 60_000;

function verdictOf(compiled: Compiled, environment: Environment) {
  const value = evaluateDenial(compiled, environment);
  if (!isFailure(value)) return value;
  return value.absent ? `absent ${value.absent}` : "error";
}

/** The outcome of a decision with an ALLOW of everything and this DENY. */
function outcomeWith(condition: Compiled, environment: Environment) {
  const { outcome } = decide({
    policies: [
      { policyId: "allow", effect: "EFFECT_ALLOW" },
      { policyId: "deny", effect: "EFFECT_DENY", condition },
    ],
    environment,
    users: [{ id: "ann", tags: [], email: "", alias: "" }],
    approvals: [{ userId: "ann" }],
    rootQuorum: { threshold: 1, userIds: [] },
  });
  return outcome;
}

function sizeOf(node: Expression): number {
  return childrenOf(node).reduce((sum, child) => sum + sizeOf(child), 1);
}

/** The tree with the node at this position, counted in depth first order, replaced. */
function replaced(root: Expression, position: number, by: Expression): Expression {
  let at = 0;
  const visit = (node: Expression): Expression => {
    return at++ === position ? by : mapChildren(node, visit);
  };
  return visit(root);
}

function withTree(checked: Checked, tree: Expression): Compiled {
  return prepare({ ...checked, expression: tree });
}

const ERRING = compile("condition", "[true][5]").expression;

/** Its second filter reads the absent wallet account only if `x < 1`, test 4, is true. */
const READS_MORE_WITHOUT_ERROR: [source: string, request: Record<string, Input>, at: number] = [
  "[0][5] < 0 && 0 < 0 && 0 < [0].filter(x, x < 1).filter(x, x < wallet_account.path_indexes[0])[0]",
  {
    activity: { type: "a" },
    wallet: { id: "" },
    eth: { tx: { to: "0xaa", data: "0x", value: 0 } },
  },
  4,
];

describe("in a DENY", () => {
  test("two evaluators agree on values and on why there is none", {
    timeout,
  }, () => {
    const reached = new Map<unknown, number>();
    fc.assert(
      fc.property(expression, roots, (source, request) => {
        const compiled = tryCompile(source);
        if (!compiled) return;
        const environment = makeEnvironment(request);
        const verdict = interpretDenial(compiled.expression, environment);
        expect(verdictOf(compiled, environment)).toBe(verdict);
        reached.set(verdict, (reached.get(verdict) ?? 0) + 1);
      }),
      { numRuns: isLong ? 1_000_000 : 10_000 },
    );
    for (const verdict of [true, false, "error", "absent root", "absent field"]) {
      expect(reached.get(verdict)).toBeGreaterThan(50);
    }
  });

  test("an error put into any part of it never makes a denied request allowed", { timeout }, () => {
    let tried = 0;
    fc.assert(
      fc.property(expression, roots, fc.nat(), (source, request, at) => {
        const environment = makeEnvironment(request);
        for (const text of [source, `!(${source})`]) {
          const compiled = tryCompile(text);
          if (!compiled || outcomeWith(compiled, environment) === "OUTCOME_ALLOW") continue;
          const { expression: tree } = compiled;
          const erring = withTree(compiled, replaced(tree, at % sizeOf(tree), ERRING));
          // Unless the part was all that kept the DENY from being about other requests.
          if (verdictOf(erring, environment) === "absent root") continue;
          expect(outcomeWith(erring, environment)).toBe("OUTCOME_DENY_EXPLICIT");
          tried++;
        }
      }),
      { numRuns: isLong ? 500_000 : 4000 },
    );
    expect(tried).toBeGreaterThan(800);
  });

  test("an error that does not deny hides no value that would", { timeout }, () => {
    let tried = 0;
    fc.assert(
      fc.property(expression, roots, fc.nat(), (source, request, at) => {
        const compiled = tryCompile(source);
        if (!compiled) return;
        const environment = makeEnvironment(request);
        const { expression: tree, types } = compiled;
        const tests = nodesOf(tree).flatMap(({ node, position }) => {
          return types.get(node)?.kind === "bool" ? position : [];
        });
        const position = tests[at % tests.length] ?? 0;
        const put = (by: Expression) => withTree(compiled, replaced(tree, position, by));
        if (outcomeWith(put(ERRING), environment) !== "OUTCOME_ALLOW") return;
        tried++;
        const verdict = verdictOf(put(ERRING), environment);
        if (verdict !== false) {
          expect(verdict).toMatch(/^absent/);
          return;
        }
        for (const value of [true, false]) {
          // Not always false: a part with a value can let the rest read what is absent.
          const denial = put({ kind: "bool", value, start: 0, end: 0 });
          expect(outcomeWith(denial, environment)).toBe("OUTCOME_ALLOW");
        }
      }),
      { numRuns: isLong ? 500_000 : 4000, examples: [READS_MORE_WITHOUT_ERROR] },
    );
    expect(tried).toBeGreaterThan(200);
  });
});

function nodesOf(root: Expression): { node: Expression; position: number }[] {
  const nodes: { node: Expression; position: number }[] = [];
  const visit = (node: Expression) => {
    nodes.push({ node, position: nodes.length });
    childrenOf(node).forEach(visit);
  };
  visit(root);
  return nodes;
}

describe("what is absent", () => {
  const tx = { to: "0xaa", data: "0x", value: 5, nonce: 1, chain_id: 1 };
  const ETHEREUM: Record<string, Input> = {
    activity: { type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", action: "SIGN", params: { type: "T" } },
    wallet: { id: "w", label: "" },
    wallet_account: { address: "0xbb" },
    eth: { tx },
  };

  function verdict(source: string, request: Record<string, Input> = ETHEREUM) {
    return verdictOf(compile("condition", source), makeEnvironment(request));
  }

  test.each([
    ["private_key.id == 'k'", "absent root"],
    ["true || private_key.id == 'k'", "absent root"],
    ["false && solana.tx.transfers.count() > 0", "absent root"],
    ["[1][5] == 1 && eth.eip_712.primary_type == 'P'", "absent root"],
    ["(eth.eip_712.primary_type == 'P') == [true][5]", "absent root"],
    ["[true][5] == (eth.eip_712.primary_type == 'P')", "absent root"],
    ["eth.tx.contract_call_args['amount'] > 5", "absent field"],
    ["eth.tx.to == '0xbb' || eth.tx.contract_call_args['to'] == '0xbb'", "absent field"],
    ["eth.tx.to == '0xaa' || eth.tx.contract_call_args['to'] == '0xaa'", true],
    ["eth.tx.to == '0xbb' && eth.tx.contract_call_args['to'] == '0xbb'", false],
    ["eth.tx.max_fee_per_blob_gas > 5", "absent field"],
    ["wallet_account.path_indexes.count() > 5", "absent field"],
    ["activity.params.user_email == 'x'", "absent field"],
    ["activity.params.payload == 'x' && eth.tx.data[0..10] == '0x'", "error"],
  ])("%s: %s", (source, expected) => {
    expect(verdict(source)).toBe(expected);
  });

  test.each([
    ["eth.tx.data[0..10] == '0xa9059cbb'", "error"],
    ["eth.tx.to == '0xaa' && eth.tx.data[0..10] == '0xa9059cbb'", "error"],
    ["eth.tx.to == '0xbb' && eth.tx.data[0..10] == '0xa9059cbb'", false],
    ["eth.tx.data[0..10] == '0xa9059cbb' || eth.tx.value > 4", true],
    ["!(eth.tx.data[0..10] == '0xa9059cbb' && eth.tx.value > 5)", true],
    ["(eth.tx.value > 5 && eth.tx.data[0..10] == '') == false", true],
    ["[eth.tx.data[0..10]].contains('0x')", "error"],
    ["wallet.imported", "error"],
    ["eth.tx.gas > 5", "error"],
    ["activity.params.missing.inner == 1", "absent field"],
    ["activity.params.type.inner == 1", "error"],
    ["activity.resource == 'X'", "error"],
  ])("is not absent: %s: %s", (source, expected) => {
    expect(verdict(source)).toBe(expected);
  });

  test("a parameter that an activity of the kind may leave out is not absent", () => {
    const update = (params: Record<string, Input>) => ({
      activity: { type: "ACTIVITY_TYPE_UPDATE_POLICY_V2", kind: "UPDATE_POLICY", params },
    });
    const source = "activity.params.policy_condition == 'true'";
    expect(verdict(source, update({ policy_id: "p" }))).toBe("error");
    expect(verdict(source, update({ policy_id: "p", policy_condition: "true" }))).toBe(true);
    expect(verdict(source, update({ policy_id: "p", policy_condition: null }))).toBe("error");
  });

  const message = { to: { name: "a" }, steps: [{ amount: 1 }, {}] };
  test.each([
    ["eth.eip_712.message['amount'] > 5", "absent field"],
    ["eth.eip_712.message['to']['wallet'] == 'a'", "absent field"],
    ["eth.eip_712.message['to']['name'] > 5", "error"],
    ["eth.eip_712.message['to']['name']['x'] == 'a'", "error"],
    ["eth.eip_712.message['steps'][0]['wallet'] == 'a'", "error"],
    ["eth.eip_712.message['steps'][7]['amount'] == 1", "error"],
    ["eth.eip_712.message['steps'].any(s, s['amount'] > 5)", "error"],
    ["eth.eip_712.message['steps'].any(s, s['amount'] > 0)", true],
    ["eth.eip_712.message['steps'].all(s, s['amount'] > 1)", false],
    ["eth.eip_712.message['steps'].filter(s, s['amount'] > 5).count() > 0", "error"],
    ["eth.eip_712.message['to'].any(s, s == 1)", "error"],
    ["eth.eip_712.message[eth.eip_712.primary_type] == 1", "error"],
    ["'a' in [1, eth.eip_712.message['to']['name']]", true],
    ["'b' in [1, eth.eip_712.message['to']['name']]", "error"],
  ])("in typed data: %s: %s", (source, expected) => {
    const request = { eth: { eip_712: { primary_type: "amount", message } } };
    // The list of two types takes a dynamic element.
    const text = source.replace("[1,", "[eth.eip_712.message['steps'][0]['amount'],");
    expect(verdict(text, request)).toBe(expected);
  });

  test("an instruction that no interface describes does not hide the one that a DENY is about", () => {
    const source =
      "solana.tx.instructions.any(i, i.program_key == 'p' && i.parsed_instruction_data.instruction_name == 'pay')";
    const pay = {
      program_key: "p",
      parsed_instruction_data: {
        instruction_name: "pay",
        discriminator: "",
        named_accounts: {},
        program_call_args: {},
      },
    };
    const memo = { program_key: "memo" };
    const at = (...instructions: Input[]) => verdict(source, { solana: { tx: { instructions } } });
    expect(at(memo)).toBe(false);
    expect(at(memo, pay, memo)).toBe(true);
    expect(at(memo, { program_key: "p" })).toBe("error");
    expect(at(memo, { program_key: "p", parsed_instruction_data: unread("odd") })).toBe("error");
  });

  test("a secret without a key is not absent, since keys are data", () => {
    const request = { secret: { static_properties: { kind: "k" } } };
    expect(verdict("secret.static_properties['owner'] == 'x'", request)).toBe("error");
  });
});

describe("a decision", () => {
  function decideAbout(clauses: { condition?: string; consensus?: string; time?: string }) {
    const compiled = (clause: "condition" | "consensus" | "time") => {
      const text = clauses[clause];
      return text === undefined ? undefined : compile(clause, text);
    };
    const { outcome, evaluations } = decide({
      policies: [
        { policyId: "allow", effect: "EFFECT_ALLOW" },
        {
          policyId: "deny",
          effect: "EFFECT_DENY",
          condition: compiled("condition"),
          consensus: compiled("consensus"),
          time: compiled("time"),
        },
      ],
      environment: makeEnvironment({ wallet: { id: "w" } }),
      users: [{ id: "ann", tags: [], email: "", alias: "" }],
      approvals: [{ userId: "ann" }],
      rootQuorum: { threshold: 1, userIds: [] },
    });
    const [, deny] = evaluations;
    const failed = deny?.failures.map(({ clause }) => clause);
    return [outcome, deny?.outcome, failed].flat().join(" ").replaceAll("OUTCOME_", "");
  }

  const error = "'a'[5] == 'a'";
  const absent = "private_key.id == 'k'";
  const lacking = "activity.params.x == 1";
  test.each([
    [{ condition: error }, "DENY_EXPLICIT DENY_EXPLICIT condition"],
    [{ consensus: "approvers[1].id == 'x'" }, "DENY_EXPLICIT DENY_EXPLICIT consensus"],
    // Without a trusted time.
    [{ time: "time.now == time.now" }, "DENY_EXPLICIT DENY_EXPLICIT time"],
    [{ time: "CronSpan('0 9 * * *', '8h', 'UTC')" }, "DENY_EXPLICIT DENY_EXPLICIT time"],
    [{ condition: error, consensus: "false" }, "ALLOW DENY_IMPLICIT"],
    [{ condition: error, time: "'a' == 'b'" }, "ALLOW DENY_IMPLICIT"],
    [{ condition: absent }, "ALLOW ERROR condition"],
    [{ condition: absent, consensus: error }, "ALLOW ERROR condition consensus"],
    [{ condition: lacking }, "DENY_EXPLICIT DENY_EXPLICIT condition"],
  ])("about %o: %s", (clauses, expected) => {
    expect(decideAbout(clauses)).toBe(expected);
  });
});
