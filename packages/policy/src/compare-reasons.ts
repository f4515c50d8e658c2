import type { Clause, Span } from "./ast.ts";
import type { Occurrence, Term } from "./compare-terms.ts";

/** A part of a policy that the answer would depend on; the offsets are those of the clause. */
export type Reason = Span & {
  readonly policyId: string;
  readonly set: "before" | "after";
  readonly clause: Clause;
  readonly message: string;
};

/** What is not exact about a term, for a reader of the policy. */
export function whyInexact({ source, type }: Term): string {
  switch (source.kind) {
    case "path":
      return "no request could be made in which this has the value it would need";
    case "size":
      return "the length of a list is not related to what the list holds";
    case "member":
      return "what a list of the request holds is not related to the rest of the list";
    case "slice":
      return "slices of a text are not related to each other and to the text";
    case "votes":
      return "so many approvals are not counted one by one";
    case "opaque":
      break;
  }
  const { expression, clause } = source.part;
  if (clause === "time") return "a recurring time is not compared with other times";
  if (clause === "consensus") {
    return "this asks more of the approvals than how many have certain ids and tags";
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

/** The places where policies of a question speak of these terms. */
export function reasonsFor(
  terms: ReadonlySet<Term>,
  places: readonly (Omit<Reason, "start" | "end" | "message"> & {
    readonly occurrences: readonly Occurrence[];
  })[],
): Reason[] {
  return places.flatMap(({ occurrences, ...place }) => {
    return occurrences.flatMap(({ atom, start, end }) => {
      return terms.has(atom.term) ? { ...place, start, end, message: whyInexact(atom.term) } : [];
    });
  });
}
