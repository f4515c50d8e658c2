import Translate, { translate } from "@docusaurus/Translate";
import clsx from "clsx";
import styles from "./OrganizationDrawing.module.css";

type Row = { name: string; text: string };

const rootUsers = translate({ id: "drawing.rootUsers", message: "Root users" });
const users = translate({ id: "drawing.users", message: "Users" });
const policies = translate({ id: "drawing.policies", message: "Policies" });
const wallets = translate({ id: "drawing.wallets", message: "Wallets" });
const threePeople = translate({
  id: "drawing.threePeople",
  message: "three people, of whom two must agree",
});

const parent: Row[] = [
  { name: rootUsers, text: threePeople },
  {
    name: users,
    text: translate({ id: "drawing.backend", message: "your backend, with an API key" }),
  },
  {
    name: policies,
    text: translate({
      id: "drawing.backend.policies",
      message: "it may create sub-organizations and start logins",
    }),
  },
  {
    name: wallets,
    text: translate({ id: "drawing.none", message: "none for end users" }),
  },
];

const single: Row[] = [
  { name: rootUsers, text: threePeople },
  {
    name: users,
    text: translate({
      id: "drawing.programs",
      message: "payouts and sweeper, one for each program",
    }),
  },
  {
    name: policies,
    text: translate({
      id: "drawing.programs.policies",
      message: "what each program may sign, and what needs a person too",
    }),
  },
  {
    name: wallets,
    text: translate({ id: "drawing.yours", message: "treasury and hot wallet, which are yours" }),
  },
];

const own: Row[] = [
  {
    name: rootUsers,
    text: translate({ id: "drawing.owner", message: "this person, with a passkey" }),
  },
  {
    name: wallets,
    text: translate({ id: "drawing.own", message: "one, with an account for each chain" }),
  },
];

/** What a typical set-up holds: a parent with a sub-organization for each person, or one organization. */
export function OrganizationDrawing({ kind }: { kind: "embedded" | "automation" }) {
  return (
    <figure className={styles.figure}>
      <div className={clsx(styles.box, styles.parent)}>
        <div className={styles.title}>
          <Translate id="drawing.organization">Your organization</Translate>
        </div>
        <Rows rows={kind === "embedded" ? parent : single} />
      </div>
      {kind === "embedded" && (
        <>
          <div className={styles.link}>
            <Translate id="drawing.reads">can read them, but not write to them</Translate>
          </div>
          <ul className={styles.children}>
            {["Ada", "Ben", "Chen"].map((person) => (
              <li key={person} className={clsx(styles.box, styles.child)}>
                <div className={styles.title}>
                  <Translate id="drawing.subOrganization" values={{ person }}>
                    {"Sub-organization of {person}"}
                  </Translate>
                </div>
                <Rows rows={own} />
              </li>
            ))}
          </ul>
        </>
      )}
      <figcaption className={styles.caption}>
        {kind === "embedded" ? (
          <Translate id="drawing.caption.embedded">
            Every end user has an organization. Nothing is shared between the boxes.
          </Translate>
        ) : (
          <Translate id="drawing.caption.automation">
            One organization is enough. Programs have no root rights.
          </Translate>
        )}
      </figcaption>
    </figure>
  );
}

function Rows({ rows }: { rows: Row[] }) {
  return (
    <ul className={styles.rows}>
      {rows.map(({ name, text }) => (
        <li key={name}>
          <strong>{name}:</strong> {text}
        </li>
      ))}
    </ul>
  );
}
