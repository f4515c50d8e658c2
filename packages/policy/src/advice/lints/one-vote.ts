import type { Expression } from "../../ast.ts";
import { isCountOf, newReading, readerFor, readPart } from "../../logic/clause-formulas.ts";
import { constant, not } from "../../logic/formula.ts";
import { type Reading, within, writtenValue } from "../../logic/reading-context.ts";
import type { Atom, Leaf, Statement } from "../../logic/terms.ts";
import type { Reader } from "../../logic/translate.ts";
import { listCounted, type Quantifier, rootOf } from "../../logic/tree.ts";
import type { LintedClause } from "./subject.ts";

// A consensus read as if there were one vote, to find out what anybody can do alone.

/** What a consensus says when there is one vote, given with one credential. */
export function ofOneVote({ checked, logic }: LintedClause): Statement {
  const reading = { ...newReading(checked, logic.vocabulary), readerFor: oneVoteReader };
  return readPart(checked.expression, reading);
}

function oneVoteReader(reading: Reading): Reader<Leaf> {
  const reader = readerFor(reading);
  const counted = (about: Expression) => {
    const list = listCounted(about, reading.checked.types);
    return list && isOfVotes(list, reading) ? list : undefined;
  };
  return {
    ...reader,
    comparison(node, about, operator, other) {
      const list = counted(about);
      if (!list) return reader.comparison(node, about, operator, other);
      return countOfOne(list, operator, other, reading);
    },
    element(node, item, list) {
      const votes = counted(item);
      return votes && reader.isClosed(list)
        ? countOfOne(votes, "in", list, reading)
        : reader.element(node, item, list);
    },
    quantifier(node) {
      if (!isOfVotes(node.object, reading)) return reader.quantifier(node);
      const isThere = isInList(node.object, reading);
      const holds = readPart(node.predicate, ofTheVote(node, reading));
      // `any` of nothing is false, `all` of nothing is true.
      if (node.name === "any") return { kind: "and", operands: [isThere, holds] };
      return { kind: "or", operands: [not(isThere), holds] };
    },
  };
}

/** A comparison of the number of votes in the list, which is one or none. */
function countOfOne(
  list: Expression,
  operator: Atom["operator"],
  other: Expression,
  reading: Reading,
): Statement {
  const isThere = isInList(list, reading);
  const bound = writtenValue(other, reading);
  const [one, none] = [1n, 0n].map((n) => constant(isCountOf(n, operator, bound)));
  const cases = [isThere, not(isThere)].map((situation, i): Statement => {
    return { kind: "and", operands: [situation, (i === 0 ? one : none) ?? constant(false)] };
  });
  return { kind: "or", operands: cases };
}

/** A statement that the vote is in a list of votes. */
function isInList(list: Expression, reading: Reading): Statement {
  if (list.kind !== "quantifier") return constant(true);
  const passes = readPart(list.predicate, ofTheVote(list, reading));
  return { kind: "and", operands: [isInList(list.object, reading), passes] };
}

function ofTheVote(node: Quantifier, reading: Reading): Reading {
  return within(node, { key: `${rootOf(node.object)}[0]`, isTyped: true }, reading);
}

function isOfVotes(list: Expression, { scope }: Reading): boolean {
  const root = rootOf(list);
  return (root === "approvers" || root === "credentials") && !scope.has(root);
}
