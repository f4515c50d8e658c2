import { expect, test } from "vitest";
import { maintainerScriptsOf } from "./control.ts";
import { debianPackages } from "./packages.ts";

test("a purge says which directories stay, one or several", () => {
  const said = debianPackages.map(
    (each) => /echo "(.+)"/.exec(maintainerScriptsOf(each).postrm ?? "")?.[1],
  );
  expect(said).toEqual([
    "keyhearth-signer: /var/lib/keyhearth-signer stays. Remove it yourself only if nobody needs the keys.",
    "keyhearth: /var/lib/keyhearth-courier and /var/lib/keyhearth stay. Remove them yourself only if nobody needs the keys.",
  ]);
});
