import type { Activity } from "@keyhearth/sdk";
import { leavesOf } from "../../approvals/parameters.ts";
import { CopyText } from "../../ui/copy.tsx";
import { Facts, Section } from "../../ui/page.tsx";

/** What came of it, such as a signature or the id of a new wallet. */
export function Result({ activity: { result } }: { activity: Activity }) {
  const [, made] = Object.entries(result ?? {}).find(([, value]) => value !== undefined) ?? [];
  const leaves = made === undefined ? [] : leavesOf(made).filter(({ path }) => path !== "");
  if (leaves.length === 0) return null;
  return (
    <Section title="Result">
      <div className="card stack">
        {leaves.some(({ path }) => /address/i.test(path)) && (
          <p className="soft">
            The service says so. Take addresses from the wallet or the key, where the signer’s
            statements about them are checked.
          </p>
        )}
        <Facts
          facts={leaves.map(({ path, value }) => [
            path,
            value.length >= 20 ? (
              <CopyText key={path} text={value} label={`Copy: ${path}`} />
            ) : (
              value
            ),
          ])}
        />
      </div>
    </Section>
  );
}
