import { TriangleAlert } from "lucide-react";
import { Expression } from "../policy-language/expression.tsx";
import { Facts } from "../ui/page.tsx";
import { Notice } from "../ui/states.tsx";
import { isBlind, leavesOf } from "./parameters.ts";

/** All that a request says. The requester chooses what comes first, so a part of it would be what they want to be read. */
export function Parameters({
  type,
  parameters,
}: {
  type: string;
  parameters: Readonly<Record<string, unknown>>;
}) {
  return (
    <>
      {isBlind(type, parameters) && (
        <Notice tone="warning" icon={<TriangleAlert size={18} aria-hidden />}>
          These bytes can be a transaction, and this page cannot tell what they do. Approve it only
          if you know that.
        </Notice>
      )}
      <Facts facts={leavesOf(parameters).map(({ path, value }) => [path, shown(path, value)])} />
    </>
  );
}

function shown(path: string, value: string) {
  if (/(condition|consensus|time)$/i.test(path) && value !== "none") {
    return <Expression key={path} source={value} />;
  }
  if (value.length > 400) {
    return (
      <div key={path} className="value-long mono">
        {value}
      </div>
    );
  }
  return /^(0x)?[0-9a-f-]{20,}$/i.test(value) ? <span className="mono">{value}</span> : value;
}
