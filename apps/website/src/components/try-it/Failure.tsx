import Link from "@docusaurus/Link";
import Translate from "@docusaurus/Translate";
import { Prose } from "../Prose.tsx";
import type { Told } from "./sentences.ts";
import styles from "./TryIt.module.css";

/** What went wrong, said at once. The place is there before, so that screen readers notice what comes into it. */
export function Failure({ told }: { told: Told | null }) {
  return (
    <div role="alert">
      {told && (
        <p className={styles.failure}>
          {told.text.split(PAGE).map((part, index) => {
            // The parts never change their order.
            const key = `${index}${part}`;
            // Every second one is an address.
            return index % 2 === 1 ? (
              <Link key={key} to={part}>
                {part}
              </Link>
            ) : (
              <Prose key={key} text={part} />
            );
          })}{" "}
          {told.code !== null && (
            <Link to={`/developer-reference/api-overview/errors#${anchorOf(told.code)}`}>
              <Translate id="tryIt.error.more" values={{ code: told.code }}>
                {"About {code}"}
              </Translate>
            </Link>
          )}
        </p>
      )}
    </div>
  );
}

/** A page that a message names, such as `/concepts/policies/quickstart`. */
const PAGE = /(?<!\S)(\/(?:concepts|developer-reference|self-hosting)(?:\/[a-z-]+)+)/;

function anchorOf(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}
