// The theme's page asks the reader to contact the site's owner. Ours offers pages to go on with.
import Link from "@docusaurus/Link";
import Translate, { translate } from "@docusaurus/Translate";
import { PageMetadata } from "@docusaurus/theme-common";
import clsx from "clsx";
import styles from "./styles.module.css";

type Props = { className?: string };

const places = [
  {
    to: "/getting-started/quickstart",
    label: translate({ id: "notFound.quickstart", message: "Quickstart" }),
    about: translate({
      id: "notFound.quickstart.about",
      message: "Sign with a real key in five minutes",
    }),
  },
  {
    to: "/concepts/overview",
    label: translate({ id: "notFound.concepts", message: "Concepts" }),
    about: translate({
      id: "notFound.concepts.about",
      message: "Organizations, users, wallets, activities",
    }),
  },
  {
    to: "/api",
    label: translate({ id: "notFound.reference", message: "API reference" }),
    about: translate({
      id: "notFound.reference.about",
      message: "Every endpoint, its fields and examples",
    }),
  },
  {
    to: "/self-hosting/",
    label: translate({ id: "notFound.selfHosting", message: "Self-hosting" }),
    about: translate({
      id: "notFound.selfHosting.about",
      message: "Run it, configure it, back it up",
    }),
  },
];

export default function NotFoundContent({ className }: Props) {
  return (
    <main className={clsx("container", styles.page, className)}>
      {/* The layout around this has no title, and would take away the one of the theme's page. */}
      <PageMetadata title={translate({ id: "theme.NotFound.title", message: "Page Not Found" })} />
      <p className={styles.status}>404</p>
      <h1 className={styles.title}>
        <Translate id="notFound.title">{"This page does not exist"}</Translate>
      </h1>
      <p className={styles.lead}>
        <Translate id="notFound.lead">
          {"The address may have a typo, or the page may have moved. Try one of these instead:"}
        </Translate>
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
        <Translate
          id="notFound.home"
          values={{
            home: (
              <Link to="/">
                <Translate id="notFound.home.link">{"home page"}</Translate>
              </Link>
            ),
          }}
        >
          {"Or go to the {home}."}
        </Translate>
      </p>
    </main>
  );
}
