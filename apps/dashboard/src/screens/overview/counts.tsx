import type { OrganizationData } from "@keyhearth/sdk";
import { Link } from "wouter";
import { limits } from "./limits.ts";

const counted = [
  { name: "users", title: "Users", to: "/users" },
  { name: "invitations", title: "Open invitations", to: "/users?show=invitations" },
  { name: "wallets", title: "Wallets", to: "/wallets" },
  { name: "privateKeys", title: "Private keys", to: "/keys" },
  { name: "policies", title: "Policies", to: "/policies" },
] as const;

/** What there is, and how much there can be. */
export function Counts({ organization }: { organization: OrganizationData }) {
  return (
    <div className="counts">
      {counted.map(({ name, title, to }) => {
        const count = organization[name]?.length ?? 0;
        return (
          // The whole card leads there.
          <Link key={name} href={to} className="count">
            <span className="soft">{title}</span>
            <span>
              <strong>{count}</strong>{" "}
              <span className="faint">of {limits[name].toLocaleString("en")}</span>
            </span>
            <span className="count-bar">
              <span style={{ width: `${(100 * count) / limits[name]}%` }} />
            </span>
          </Link>
        );
      })}
    </div>
  );
}
