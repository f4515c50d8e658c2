import { getReceipts } from "@keyhearth/sdk";
import { useQuery } from "@tanstack/react-query";
import { ShieldAlert, ShieldCheck } from "lucide-react";
import { keyOf } from "../../data/read.ts";
import { useCurrent } from "../../session/current.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Facts } from "../../ui/page.tsx";
import { save } from "../../ui/save-file.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { statementAbout } from "./statement.ts";

/** The service's signed statement about the activity, verified here. It is made some seconds after the activity. */
export function Receipt(of: { activityId: string; fingerprint: string; version: string }) {
  const { quorumPublicKey } = useCurrent().service;
  return quorumPublicKey === undefined ? (
    <p className="faint">Not verified: this dashboard was built without the key of receipts.</p>
  ) : (
    <VerifiedReceipt {...{ ...of, quorumPublicKey }} />
  );
}

type Of = { activityId: string; fingerprint: string; version: string; quorumPublicKey: string };

function VerifiedReceipt({ activityId, fingerprint, version, quorumPublicKey }: Of) {
  const { connection, session } = useCurrent();
  const read = useQuery({
    queryKey: keyOf(session.organizationId, "get_receipts", { activityId, version }),
    queryFn: async ({ signal }) => {
      const [{ verifyReceiptsExcerpt }, answer] = await Promise.all([
        import("@keyhearth/sdk/crypto"),
        getReceipts(connection, { activityId }, { organizationId: session.organizationId, signal }),
      ]);
      const report = verifyReceiptsExcerpt(answer.receiptsFile, quorumPublicKey);
      return { file: answer.receiptsFile, unsealed: answer.unsealed, report };
    },
    refetchInterval: ({ state }) => (state.data && state.data.unsealed > 0 ? 5000 : false),
  });
  if (read.isPending) return <Loading what="the receipt" lines={2} />;
  if (read.isError) return <Failed error={read.error} onRetry={() => read.refetch()} />;
  const { file, report, unsealed } = read.data;
  const { organizationId } = session;
  const statement = statementAbout(report, { organizationId, activityId, fingerprint });
  if (statement === "other") {
    return (
      <Notice tone="danger" icon={<ShieldAlert size={18} aria-hidden />}>
        <strong>The receipt is about another request</strong>
        <span>
          The signer has recorded something else under this id than what is shown above. Ask the
          operator, and keep the receipt.
        </span>
      </Notice>
    );
  }
  if (!report.valid) {
    return (
      <Notice tone="danger" icon={<ShieldAlert size={18} aria-hidden />}>
        <strong>The receipt is not valid</strong>
        {report.problems.map(({ code, message }) => (
          <span key={`${code} ${message}`}>{message}</span>
        ))}
        <span>Ask the operator, and keep the receipt.</span>
      </Notice>
    );
  }
  if (!statement) {
    return (
      <p className="soft">
        {unsealed > 0
          ? "The receipt is on its way: receipts are sealed together, some seconds after what they are about."
          : "There is no receipt of this activity."}
      </p>
    );
  }
  const place = file.receipts.find(({ statement: text }) => text !== undefined);
  return (
    <div className="card stack">
      <p className="row soft">
        <ShieldCheck size={18} aria-hidden className="good" />
        Verified in this browser: the signer has recorded this activity, and cannot take it back.
      </p>
      <Facts
        facts={[
          ["Recorded as", <code key="status">{String(statement.status)}</code>],
          ["Segment", String(place?.segment ?? "")],
          ["Place in it", String(place?.index ?? "")],
          ["Quorum key", <CopyText key="key" text={quorumPublicKey} label="Copy the quorum key" />],
        ]}
      />
      <p className="faint">
        The key is the one that this service names. Compare it with the one that your operator has
        published.
      </p>
      <div>
        <Button
          isSmall
          onPress={() => save(JSON.stringify(file, null, 2), `receipt-${activityId}.json`)}
        >
          Save the receipt
        </Button>
      </div>
    </div>
  );
}
