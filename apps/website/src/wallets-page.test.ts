import { readFileSync } from "node:fs";
import { type AddressEncoding, addressEncodings } from "@keyhearth/crypto/addresses/formats";
import { parsePath } from "@keyhearth/crypto/keys/derive";
import { expect, test } from "vitest";

// Holds the tables of the page about wallets to the code and the contract.

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const page = read("../docs/concepts/wallets.mdx");
const { schemas } = JSON.parse(read("../../../contract/openapi.json")).components;

/** The rows of the table of formats: names, curves and path. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("|") && line.includes("`ADDRESS_FORMAT_"))
  .map((line) => {
    const [, , formats = "", curves = "", path = ""] = line.split("|");
    return { formats: codes(formats), curves: codes(curves), path: codes(path)[0] };
  });

function codes(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

const listed = rows.flatMap(({ formats }) => formats);

test("the table has every address format, apart from Bitcoin's test networks", () => {
  const expected = Object.keys(addressEncodings).filter(
    (name) => !/_BITCOIN_(TESTNET|SIGNET|REGTEST)_/.test(name),
  );
  expect(listed.toSorted()).toEqual(expected.toSorted());
  for (const network of ["TESTNET", "SIGNET", "REGTEST"]) {
    expect(page).toContain(`\`${network}\``);
    for (const name of listed.filter((each) => each.includes("_BITCOIN_MAINNET_"))) {
      expect(addressEncodings).toHaveProperty(name.replace("MAINNET", network));
    }
  }
});

test("each row has the curves of its formats, and a path", () => {
  const all = ["CURVE_SECP256K1", "CURVE_P256", "CURVE_ED25519"];
  for (const { formats, curves, path } of rows) {
    for (const name of formats) {
      // The table has only names of this object, as the first test checks.
      const encoding: AddressEncoding = addressEncodings[name as keyof typeof addressEncodings];
      const shown = curves.length === 0 ? all : curves;
      expect(shown.toSorted()).toEqual(encoding.curves.toSorted());
    }
    if (path !== undefined) expect(parsePath(path).indexes.length).toBeGreaterThan(2);
  }
});

test("the page names every encoding and hash function of payloads", () => {
  for (const name of ["PayloadEncoding", "HashFunction"]) {
    const values: string[] = schemas[name].enum;
    expect(values.length).toBeGreaterThan(3);
    for (const value of values) expect(page).toContain(`\`${value}\``);
  }
});
