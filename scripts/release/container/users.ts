/**
 * The users of the images, as numbers that no distribution gives to users. Volumes outlive images, so the numbers never
 * change.
 */
export const users = {
  keyhearth: 10_001,
  "keyhearth-signer": 10_002,
  "keyhearth-courier": 10_003,
} as const;

export type User = keyof typeof users;
