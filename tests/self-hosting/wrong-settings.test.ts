import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

// The page's table of wrong settings. Each row is pinned by a test that makes the mistake on real programs: this one sees to
// it that the page has what that test expects, and that the test is there.

const path = (name: string) => new URL(`../../${name}`, import.meta.url);
const read = (name: string) => readFileSync(path(name), "utf8");

const PAGE = "apps/website/docs/self-hosting/high-availability.mdx";
const API = "tests/start/signers.test.ts";
const SIGNERS = "tests/signers/wrong-settings.test.ts";
const SHARED = "tests/signers/shared-marks.test.ts";
const DATABASE = "tests/postgres/wrong-settings.test.ts";

/** What is said, and the test that hears it. */
const pinned: Record<string, readonly [file: string, name: string]> = {
  "no signer of KEYHEARTH_SIGNER works": [
    API,
    "an unknown host and a machine that is off are named",
  ],
  "what listens there does not speak TLS 1.3 as a signer does": [
    API,
    "something else at the port ends the start with one sentence",
  ],
  "which KEYHEARTH_SIGNER_PINS does not list": [
    API,
    "a signer that does not know the service, or has another key",
  ],
  "does not know this service": [API, "a signer that does not know the service"],
  "the signers of KEYHEARTH_SIGNER are of different installations": [
    API,
    "signers of different installations are refused",
  ],
  "decide with copies of one state": [SIGNERS, "that decide with copies of one state"],
  "because their KEYHEARTH_MARKS lead to different etcd clusters": [
    SIGNERS,
    "whose marks are in different clusters",
  ],
  "has started with the same etcd; give each signer of an installation a name of its own": [
    SIGNERS,
    "of one name are refused",
  ],
  "has endpoints by http and by https": [SIGNERS, "%s is no list of endpoints"],
  "name only members of one cluster in KEYHEARTH_MARKS": [SIGNERS, "with members of two clusters"],
  "because its certificate is not from an authority that this machine trusts": [
    SIGNERS,
    "say why an endpoint is not trusted",
  ],
  "and KEYHEARTH_MARKS names it with https": [SIGNERS, "say why an endpoint is not trusted"],
  "and KEYHEARTH_MARKS names it with http; write https there": [
    SIGNERS,
    "say why an endpoint is not trusted",
  ],
  "does not let this signer in": [SIGNERS, "say that an endpoint is no etcd, or does not let them"],
  "there is no etcd 3.4 or later": [SIGNERS, "say that an endpoint is no etcd"],
  "it is another cluster, or it has lost them": [SHARED, "an etcd that has lost the marks"],
  "was not written there by a signer with this keyring": [
    SIGNERS,
    "refuse what a signer with another keyring has shared",
  ],
  "copy its state directory to this machine once more": [SIGNERS, "without their marks"],
  "not those with which the signers of this etcd began": [
    SHARED,
    "marks that are not those of the others",
  ],
  "so it must not decide alone": [SIGNERS, "that share their marks do not decide alone"],
  "the database of DATABASE_URL cannot be reached": [DATABASE, "at a host that nobody knows"],
  "the database of DATABASE_URL is not trusted": [DATABASE, "whose certificate is not trusted"],
  "the database of DATABASE_URL does not speak TLS": [DATABASE, "whose certificate is not trusted"],
  "of DATABASE_URL are not servers of one cluster": [DATABASE, "whose hosts are servers of two"],
  "leads to a server that is no standby of the one": [
    "tests/postgres/standbys.test.ts",
    "is refused if it belongs to another installation",
  ],
  "but the signer's state to installation": [DATABASE, "of another installation is not the signer"],
  "so that both are of one release": [
    "apps/api/src/start/open-signer.test.ts",
    "a service refuses a signer of a release that says another number",
  ],
  "so that all signers are of one release": [SIGNERS, "refuse what a newer release has shared"],
  "which is older; start that release again": [
    DATABASE,
    "that a newer release has changed is left alone",
  ],
};

/** The rows of the table, by what is said. */
function rowsOfPage(): string[][] {
  const [, section = ""] = read(PAGE).split("{/* #wrong-settings */}");
  const [text = ""] = section.split("\n## ");
  const lines = text.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) => line.slice(2, -2).split(" | "));
}

/** A test with its cases. */
function testIn(file: string, name: string): string {
  const text = read(file);
  const tests = text.split(/\n(?=\s*(?:test|describe)[.(])/);
  const [found, ...others] = tests.filter((each) => each.includes(`("${name}`));
  if (found === undefined || others.length > 0) {
    throw new Error(`${file} has no test, or more than one, whose name begins with: ${name}`);
  }
  return found;
}

test("each sentence of the page's table is what a test of that mistake expects", () => {
  const rows = rowsOfPage();
  const said = rows.map(([, sentence = ""]) => sentence.replace(/^`(.*)`$/, "$1"));
  expect(said.toSorted()).toEqual(Object.keys(pinned).toSorted());
  for (const sentence of said) {
    const [file, name] = pinned[sentence] ?? ["", ""];
    // A pattern escapes what a sentence has.
    expect.soft(testIn(file, name).replaceAll("\\", ""), sentence).toContain(sentence);
  }
});

test("each row says what was given, where it is said and what to do", () => {
  for (const row of rowsOfPage()) {
    expect(row).toHaveLength(4);
    for (const cell of row) expect(cell.trim()).not.toBe("");
    expect(row[2]).toMatch(/^(start|signer|doctor)\b/);
  }
});
