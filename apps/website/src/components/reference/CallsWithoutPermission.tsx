import Link from "@docusaurus/Link";
import permissions from "@generated/api-reference/default/permissions.json";
import CodeInline from "@theme/CodeInline";
import { needsNoPermission } from "./senders.ts";

/** The submissions that users may send about themselves without any policy, from the contract. */
export function CallsWithoutPermission() {
  const names = Object.keys(permissions).filter((name) => {
    const senders = permissions[name];
    return senders !== undefined && needsNoPermission(senders);
  });
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 && ", "}
      <Link to={`/api#${name}`}>
        <CodeInline>{name}</CodeInline>
      </Link>
    </span>
  ));
}
