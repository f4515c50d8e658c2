import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import { newUser, openParent } from "./organization.ts";

// Your bot's token. Only Telegram and your server know it.
const botToken = process.env.BOT_TOKEN ?? "110201543:a-token-for-this-program-only";
const FIVE_MINUTES = 300;

/** Your table of users: which wallet belongs to which person in Telegram. */
const wallets = new Map<number, { organizationId: string; address: string }>();
const parent = await openParent();

// On your server.

/** Who opened the app, as Telegram signed it, or null. Nothing else that the page sends says who it is. */
function personOf(initData: string, now = Date.now()): { id: number; first_name: string } | null {
  const fields = new URLSearchParams(initData);
  const given = Buffer.from(fields.get("hash") ?? "", "hex");
  fields.delete("hash");
  fields.sort();
  const lines = [...fields].map(([name, value]) => `${name}=${value}`);
  const secret = createHmac("sha256", "WebAppData").update(botToken).digest();
  const expected = createHmac("sha256", secret).update(lines.join("\n")).digest();
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const age = now / 1000 - Number(fields.get("auth_date"));
  // An old one that somebody finds in a log must be worth nothing.
  return age >= -60 && age <= FIVE_MINUTES ? JSON.parse(fields.get("user") ?? "null") : null;
}

/** Makes the person's wallet at their first visit, for the key that their device made. */
async function signUp(initData: string, device: ReturnType<typeof newUser>["params"]) {
  const person = personOf(initData);
  if (!person) return { status: 401, organizationId: "", address: "" };
  // A key of another device is added by the person, with a device that they have: never by your server.
  const known = wallets.get(person.id);
  if (known) return { status: 200, ...known };
  const { subOrganizationId, wallet } = await parent.createSubOrganization({
    subOrganizationName: `Telegram ${person.id}`,
    rootQuorumThreshold: 1,
    rootUsers: [device],
    wallet: {
      walletName: "Main",
      accounts: [
        {
          curve: "CURVE_ED25519",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/607'/0'",
          addressFormat: "ADDRESS_FORMAT_TON_V4R2",
        },
      ],
    },
  });
  const made = { organizationId: subOrganizationId, address: wallet?.addresses[0] ?? "" };
  wallets.set(person.id, made);
  return { status: 200, ...made };
}

// In the app, on Ada's phone. Telegram gives the page `window.Telegram.WebApp.initData`.
const ada = { id: 279_058_397, first_name: "Ada" };
const initData = telegramSigns({ user: JSON.stringify(ada), auth_date: now() });
const device = newUser(ada.first_name);
const { status, organizationId, address } = await signUp(initData, device.params);
assert.equal(status, 200);

// From here on her device signs, and your server is not asked.
const { r, s } = await device.in(organizationId).signRawPayload({
  signWith: address,
  payload: Buffer.from("Hello from Ada").toString("hex"),
  encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
  hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
});
console.log(`Ada's device signed: ${(r + s).length / 2} bytes`);

// Ada comes back, and finds the same wallet.
const again = await signUp(
  telegramSigns({ user: JSON.stringify(ada), auth_date: now() }),
  device.params,
);
console.log(`The same wallet: ${again.address === address}`);

// Changed data is refused, and so is old data.
const changed = initData.replace(String(ada.id), "1");
const old = telegramSigns({ user: JSON.stringify(ada), auth_date: String(Number(now()) - 3600) });
for (const refused of [changed, old]) {
  assert.equal((await signUp(refused, newUser("Eve").params)).status, 401);
}
console.log("Changed or old data: refused");

/** What Telegram does, for this program. */
function telegramSigns(fields: Record<string, string>): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const secret = createHmac("sha256", "WebAppData").update(botToken).digest();
  const hash = createHmac("sha256", secret).update(lines.sort().join("\n")).digest("hex");
  return new URLSearchParams({ ...fields, hash }).toString();
}

function now(): string {
  return String(Math.floor(Date.now() / 1000));
}
