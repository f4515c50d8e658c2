import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "./button.tsx";

export type Pages = {
  /** The number of the page, from 1. */
  number: number;
  hasNext: boolean;
  isBusy?: boolean;
  next: () => void;
  previous: () => void;
};

/** For lists whose pages follow each other: the service names the next one by the last object of this one. */
export function Pager({ number, hasNext, isBusy, next, previous }: Pages) {
  if (number === 1 && !hasNext) return null;
  return (
    <nav className="pager" aria-label="Pages">
      <Button isSmall isDisabled={number === 1 || isBusy} onPress={previous}>
        <ChevronLeft size={16} aria-hidden />
        Previous
      </Button>
      <span className="faint" aria-live="polite">
        Page {number}
      </span>
      <Button isSmall isDisabled={!hasNext || isBusy} onPress={next}>
        Next
        <ChevronRight size={16} aria-hidden />
      </Button>
    </nav>
  );
}
