import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { nameCommands } from "./commands.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = globSync("{apps/{api,courier,signer},packages/*}/src/**/*.ts", { cwd: root })
  .filter((path) => !path.includes(".test"))
  .map((path) => readFileSync(join(root, path), "utf8"));

test.each([
  [
    "Usage: npm start -- [--demo]",
    "Usage: keyhearth start [--demo]",
    "Usage: keyhearth-api [--demo]",
  ],
  ["npm run -s signer -- describe", "keyhearth signer describe", "keyhearth-signer describe"],
  [
    "run `npm run signer -- accept-clock`",
    "run `keyhearth signer accept-clock`",
    "run `keyhearth-signer accept-clock`",
  ],
  ["with npm run feedback", "with keyhearth feedback", "with keyhearth-feedback"],
  ["npm run distribute -- --check", "keyhearth distribute --check", "keyhearth-distribute --check"],
  ["npm run build in a clone", "npm run build in a clone", "npm run build in a clone"],
])("%s", (text, inPackage, inDebian) => {
  expect(nameCommands(text, "clone")).toBe(text);
  expect(nameCommands(text, "package")).toBe(inPackage);
  expect(nameCommands(text, "debian")).toBe(inDebian);
});

test("no text of an installed program names a command that only a clone has", () => {
  // `dev` is of the apps that `init --template` makes.
  const known = ["build", "packages", "generate", "dev"].map((name) => `npm run ${name}`);
  for (const naming of ["package", "debian"] as const) {
    const named = sources.flatMap(
      (text) => nameCommands(text, naming).match(/npm (?:run \S+|start)/g) ?? [],
    );
    expect(named.map((each) => known.find((one) => each.startsWith(one)) ?? each)).toEqual(
      named.map(() => expect.toBeOneOf(known)),
    );
  }
  // Each kind of command is in some text, so that this finds what it looks for.
  const all = sources.join("\n");
  for (const command of ["npm start", "npm run signer", "npm run courier", "npm run feedback"]) {
    expect(all).toContain(command);
  }
});
