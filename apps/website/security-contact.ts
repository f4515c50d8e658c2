/** How to report a vulnerability to whoever operates this site: settings of a build, all optional. */
export type SecurityContact = {
  /** A `mailto:` or `https:` address. */
  contact: string | null;
  /** The https address of an OpenPGP key. */
  key: string | null;
  /** Within how many working days somebody answers. */
  responseDays: number | null;
};

/** Reads the settings, and refuses one that would show readers a link that leads nowhere. */
export function readSecurityContact(env: Readonly<Record<string, string | undefined>>) {
  const contact = env.KEYHEARTH_SITE_SECURITY_CONTACT || null;
  const key = env.KEYHEARTH_SITE_SECURITY_KEY || null;
  const days = env.KEYHEARTH_SITE_SECURITY_RESPONSE_DAYS || null;
  if (contact !== null && !/^(mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/.test(contact)) {
    throw new Error(
      `KEYHEARTH_SITE_SECURITY_CONTACT is \`${contact}\`: write a mailto: or https: address`,
    );
  }
  if (key !== null && !/^https:\/\/\S+$/.test(key)) {
    throw new Error(`KEYHEARTH_SITE_SECURITY_KEY is \`${key}\`: write the https address of a key`);
  }
  if (days !== null && !/^[1-9]\d?$/.test(days)) {
    throw new Error(
      `KEYHEARTH_SITE_SECURITY_RESPONSE_DAYS is \`${days}\`: write a number of days from 1 to 99`,
    );
  }
  return { contact, key, responseDays: days === null ? null : Number(days) };
}
