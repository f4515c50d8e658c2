import MDXComponents from "@theme/MDXComponents";
import {
  Children,
  isValidElement,
  type ReactElement,
  type ReactNode,
  useMemo,
  useState,
} from "react";
import { FilterField } from "../filter/FilterField.tsx";
import { hasWords, wordsOf } from "../filter/words.ts";
import { textOf } from "../text-of.ts";
import type { ExampleId } from "./examples.ts";
import { PolicyExample, sourceOf } from "./PolicyExample.tsx";

type Props = { label: string; placeholder: string; children: ReactNode };

/** The policies of the page with a field that leaves only the ones with the typed words. Without scripts all are there. */
export function ExampleList({ label, placeholder, children }: Props) {
  const [typed, setTyped] = useState("");
  const sections = useMemo(() => sectionsOf(children), [children]);
  const policies = sections.filter(({ hasPolicy }) => hasPolicy);
  const words = wordsOf(typed);
  const found = policies.filter(({ text }) => hasWords(text, words));
  // While readers search, only policies are of use. What is between them comes back.
  const shown = words.length === 0 ? sections : found;
  return (
    <>
      <FilterField
        {...{ label, placeholder, typed, shown: found.length, all: policies.length }}
        onType={setTyped}
      />
      {shown.map(({ parts }) => parts)}
    </>
  );
}

type Section = { parts: ReactNode[]; text: string; hasPolicy: boolean };

/** Each heading with all that is below it, up to the next one. */
function sectionsOf(children: ReactNode): Section[] {
  const sections: ReactNode[][] = [];
  for (const part of Children.toArray(children)) {
    const last = sections.at(-1);
    if (!last || isHeading(part)) sections.push([part]);
    else last.push(part);
  }
  return sections.map((parts) => ({
    parts,
    text: parts.map(wordsIn).join(" "),
    hasPolicy: parts.some(isPolicy),
  }));
}

function isHeading(part: ReactNode): boolean {
  if (!isValidElement(part)) return false;
  return part.type === MDXComponents.h2 || part.type === MDXComponents.h3;
}

function isPolicy(part: ReactNode): part is ReactElement<{ id: ExampleId }> {
  return isValidElement(part) && part.type === PolicyExample;
}

function wordsIn(part: ReactNode): string {
  return isPolicy(part) ? sourceOf(part.props.id) : textOf(part);
}
