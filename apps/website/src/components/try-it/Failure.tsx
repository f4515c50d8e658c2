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
          <Prose text={told.text} />{" "}
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

function anchorOf(code: string): string {
  return code.toLowerCase().replaceAll("_", "-");
}
