import Translate, { translate } from "@docusaurus/Translate";
import { PolicyDenied } from "@keyhearth/sdk";
import { ActivityStatus } from "./ActivityStatus.tsx";
import type { Connected } from "./connected.ts";
import { curlOf } from "./curl.ts";
import { Denial } from "./Denial.tsx";
import { Failure } from "./Failure.tsx";
import { Shown } from "./Shown.tsx";
import { activityIn, type Exchange, type Outcome } from "./sending.ts";
import { tell } from "./sentences.ts";
import styles from "./TryIt.module.css";

type Props = { outcome: Outcome; connected: Connected };

/** What came back, what it means, and what was sent to get it. */
export function Answer({ outcome: { exchange, answer, error }, connected }: Props) {
  const activity = activityIn(answer);
  return (
    <>
      {exchange?.answer && (
        <p className={styles.status} data-ok={exchange.answer.status < 400}>
          <b>HTTP {exchange.answer.status}</b>{" "}
          <Translate
            id="tryIt.answered"
            values={{ milliseconds: String(exchange.milliseconds), service: connected.service }}
          >
            {"from {service}, in {milliseconds} ms"}
          </Translate>
        </p>
      )}
      <Failure told={error ? tell(error, connected) : null} />
      {error instanceof PolicyDenied && <Denial denied={error} connected={connected} />}
      {activity && <ActivityStatus first={activity} connected={connected} />}
      {exchange && <Details exchange={exchange} />}
    </>
  );
}

function Details({ exchange }: { exchange: Exchange }) {
  const { header, body, answer } = exchange;
  const size = new TextEncoder().encode(body).length;
  return (
    <>
      {answer && (
        <Shown
          title={translate({ id: "tryIt.shown.answer", message: "Answer" })}
          text={indented(answer.text)}
          isOpen
        />
      )}
      <Shown
        title={translate(
          { id: "tryIt.shown.bytes", message: "The {count} bytes that were stamped and sent" },
          { count: String(size) },
        )}
        text={body}
      />
      <Shown
        title={translate(
          { id: "tryIt.shown.stamp", message: "Their stamp, in the header {name}" },
          { name: header.name },
        )}
        text={header.value}
      />
      <Shown
        title={translate({ id: "tryIt.shown.curl", message: "The same request as a curl command" })}
        text={curlOf(exchange)}
      />
    </>
  );
}

/** JSON in lines. Anything else as it came. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
