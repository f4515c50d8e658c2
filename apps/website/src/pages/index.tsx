import Link from "@docusaurus/Link";
import signAMessage from "@site/snippets/sign-a-message.ts?raw";
import { CopyButton } from "@site/src/components/CopyButton.tsx";
import { TrustBoundary } from "@site/src/components/home/TrustBoundary.tsx";
import CodeBlock from "@theme/CodeBlock";
import Layout from "@theme/Layout";
import styles from "./index.module.css";

const start = "npm start";

export default function Home() {
  return (
    <Layout description="Open-source, self-hosted, non-custodial key and wallet infrastructure: one command, one port, your keys.">
      <main className={styles.page}>
        <header className={styles.hero}>
          <div className={styles.heroText}>
            <h1>Keys and wallets that stay&nbsp;home</h1>
            <p>
              Keyhearth makes keys, keeps them in a signer on your own machine, and signs only what
              their owners have stamped. It is open source, and nobody else’s cloud is involved.
            </p>
            <div className={styles.actions}>
              <Link className={styles.primary} to="/getting-started/quickstart">
                Sign something now
              </Link>
              <Link className={styles.secondary} to="/concepts/overview">
                How it fits together
              </Link>
            </div>
          </div>
          <div className={styles.terminal}>
            <p className={styles.terminalTitle}>One command, in a clone of the repository</p>
            <div className={styles.command}>
              <code>
                <span aria-hidden="true">$ </span>
                {start}
              </code>
              <CopyButton text={start} label="the start command" />
            </div>
            <p>It serves, on port 3000:</p>
            <ul>
              <li>
                <strong>This site</strong> and the <Link to="/api">API reference</Link>
              </li>
              <li>
                <strong>The API</strong> that both describe
              </li>
              <li>
                <strong>A root organization</strong>; its API key is in
                <code>data/root-api-key.json</code>
              </li>
            </ul>
            <p className={styles.terminalNote}>
              The database is embedded; a PostgreSQL of yours takes its place by URL.
            </p>
          </div>
        </header>

        <section className={styles.sample} aria-labelledby="sample">
          <div className={styles.sampleText}>
            <h2 id="sample">A wallet and a signature</h2>
            <p>
              The client stamps every request with your API key. The signer checks that stamp
              itself, over the bytes you sent, before it touches a key.
            </p>
            <p>
              This file is part of the repository and is executed by its tests. The{" "}
              <Link to="/getting-started/quickstart">quickstart</Link> goes through it step by step
              and verifies the signature.
            </p>
          </div>
          <div className={styles.sampleCode}>
            <CodeBlock language="ts" title="sign-a-message.ts">
              {signAMessage}
            </CodeBlock>
          </div>
        </section>

        <section className={styles.trust} aria-labelledby="trust">
          <div className={styles.trustText}>
            <h2 id="trust">Two rooms, one door</h2>
            <p>
              The API and its database are not trusted. Whoever owns them can refuse service or hide
              what happened, but cannot forge a user, a vote or a stamp.
            </p>
            <p>
              The signer holds the root key and believes only what it can verify: your stamp, and
              records that it notarized itself.
            </p>
            <p>
              By default both run in one process, which protects against an edited database. Give
              the signer its own process and user id, and the host is outside for good.{" "}
              <Link to="/security/our-approach">Read the trust model</Link>.
            </p>
          </div>
          <TrustBoundary />
        </section>

        <section className={styles.paths} aria-labelledby="paths">
          <h2 id="paths">Start from what you need</h2>
          <ul>
            <li>
              <h3>Put wallets into an app</h3>
              <p>
                One sub-organization for each end user: their credentials, their wallets, and no
                write access for you.
              </p>
              <Link to="/concepts/sub-organizations">Sub-organizations</Link>
            </li>
            <li>
              <h3>Sign from a program</h3>
              <p>
                Wallets and private keys behind an API key, signing raw payloads on secp256k1 and
                Ed25519.
              </p>
              <Link to="/concepts/wallets">Wallets</Link>
            </li>
            <li>
              <h3>Ask more than one person</h3>
              <p>
                A root quorum of two out of three leaves a request waiting until the second approval
                executes it, once.
              </p>
              <Link to="/concepts/users/root-quorum">Root quorum</Link>
            </li>
            <li>
              <h3>Run it yourself</h3>
              <p>
                A laptop or a server, embedded database or PostgreSQL, signer inside or apart. All
                settings on one page.
              </p>
              <Link to="/self-hosting/">Self-hosting</Link>
            </li>
          </ul>
        </section>
      </main>
    </Layout>
  );
}
