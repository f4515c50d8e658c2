// The theme's page asks the reader to contact the site's owner. Ours offers pages to go on with.
import Link from "@docusaurus/Link";
import clsx from "clsx";
import styles from "./styles.module.css";

type Props = { className?: string };

const places = [
  {
    to: "/getting-started/quickstart",
    label: "Quickstart",
    about: "Sign with a real key in five minutes",
  },
  {
    to: "/concepts/overview",
    label: "Concepts",
    about: "Organizations, users, wallets, activities",
  },
  { to: "/api", label: "API reference", about: "Every endpoint, its fields and examples" },
  { to: "/self-hosting/", label: "Self-hosting", about: "Run it, configure it, back it up" },
];

export default function NotFoundContent({ className }: Props) {
  return (
    <main className={clsx("container", styles.page, className)}>
      <p className={styles.status}>404</p>
      <h1 className={styles.title}>This page does not exist</h1>
      <p className={styles.lead}>
        The address may have a typo, or the page may not exist yet. Try one of these instead:
      </p>
      <ul className={styles.places}>
        {places.map(({ to, label, about }) => (
          <li key={to}>
            <Link to={to}>{label}</Link>
            <span>{about}</span>
          </li>
        ))}
      </ul>
      <p>
        Or go to the <Link to="/">home page</Link>.
      </p>
    </main>
  );
}
