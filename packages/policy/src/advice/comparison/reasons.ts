import type { Clause, Span } from "../../ast.ts";
import type { Term } from "../../logic/terms.ts";
import type { Question, Side } from "./questions.ts";

// Why an answer is unknown, in the words of the policies.

/** A part of a policy that the answer would depend on; the offsets are those of the clause. */
export type Reason = Span & {
  readonly policyId: string;
  readonly set: Side;
  readonly clause: Clause;
  readonly message: string;
};

/** The places where policies of a question mention these terms. */
export function reasonsFor(terms: ReadonlySet<Term>, { apply, others }: Question): Reason[] {
  return [...apply, ...others].flatMap(({ policyId, set, clauses }) => {
    return clauses.flatMap(({ clause, leaves }) => {
      const told = leaves.filter(({ atom }) => terms.has(atom.term));
      return told.map(({ atom, node: { start, end } }) => {
        return { policyId, set, clause, start, end, message: whyInexact(atom.term) };
      });
    });
  });
}

/** The search was given up. */
export function tooLarge(question: Question): Reason[] {
  return wholeClauses(
    question,
    ["condition", "consensus", "time"],
    "it takes too long to find out whether a request meets this policy and no other",
  );
}

/** Not all kinds of approvers were tried. */
export function tooManyTags(question: Question): Reason[] {
  const message = "this and other policies name too many ids and tags to try all approvers";
  return wholeClauses(question, ["consensus"], message);
}

/** Reasons that have no smaller place than the clauses that would have to be true. */
function wholeClauses({ apply }: Question, wanted: readonly Clause[], message: string): Reason[] {
  const places = apply.flatMap(({ policyId, set, clauses }) => {
    const found = clauses.filter(({ clause }) => wanted.includes(clause));
    return found.map(({ clause, length }) => ({
      policyId,
      set,
      clause,
      start: 0,
      end: length,
      message,
    }));
  });
  if (places.length > 0) return places;
  return apply.map(({ policyId, set }) => {
    return { policyId, set, clause: wanted[0] ?? "condition", start: 0, end: 0, message };
  });
}

/** What is not exact about a term, for a reader of the policy. */
function whyInexact({ source, type }: Term): string {
  switch (source.kind) {
    case "path":
      return "no request was found in which this has the value it would need";
    case "size":
      return "the length of a list is not related to what the list holds";
    case "member":
      return "the presence of one value in a list is not related to the rest of the list";
    case "slice":
      return "slices of a text are not related to each other or to the text";
    case "votes":
      return "this many approvals are not counted one by one";
    case "opaque":
      break;
  }
  const { expression, clause } = source.part;
  if (clause === "time") return "a recurring time is not compared with other times";
  if (clause === "consensus") {
    return "this depends on more than how many approvals have certain ids and tags";
  }
  switch (expression.kind) {
    case "quantifier":
      return "tests of the elements of a list are not compared with each other";
    case "compare":
      return "two values of the request are compared with each other, not with literals";
    case "slice":
    case "index":
      return "a part of a text or list is compared only where its place is written out";
    default:
      return `this ${type.kind === "bool" ? "test" : "value"} is not one that is compared exactly`;
  }
}
