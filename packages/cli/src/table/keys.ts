import type { CommandGroup } from "../command.ts";

/** Keys that this machine makes. */
export const keyCommands: CommandGroup = {
  heading: "Keys of this machine:",
  words: { generate: "make keys on this machine" },
  entries: [
    {
      name: "generate api-key",
      summary: "make an API key and store it",
      args: [["<name>", "a name for its files, or `-` to print the key instead"]],
      options: [["--curve <curve>", "p256 (default), secp256k1 or ed25519"]],
      examples: [
        "keyhearth generate api-key ops",
        "keyhearth generate api-key ci --curve ed25519",
        "keyhearth generate api-key - --json > key.json",
      ],
      help: `
Writes NAME.public, NAME.private and NAME.meta, which only you can read, to the folder of keys:
$XDG_CONFIG_HOME/keyhearth/keys, or ~/.config/keyhearth/keys. They have the form of the released command's
key files. Nothing is replaced. A service knows the key once its public half is registered, such as with
\`keyhearth users add-key\`.`,
      run: async (given, surroundings) => {
        const { generateApiKey } = await import("../commands/generate-api-key.ts");
        return generateApiKey(given, surroundings);
      },
    },
    {
      name: "generate encryption-key",
      summary: "make a key that exports are encrypted to, and store it",
      args: [["<name>", "a name for its files, or `-` to print the key instead"]],
      examples: ["keyhearth generate encryption-key backup-2026-11"],
      help: `
Writes NAME.public, NAME.private and NAME.meta, which only you can read, to the folder of encryption
keys: $XDG_CONFIG_HOME/keyhearth/encryption-keys, or ~/.config/keyhearth/encryption-keys. Use each key for
one export.`,
      run: async (given, surroundings) => {
        const { generateEncryptionKey } = await import("../commands/generate-encryption-key.ts");
        return generateEncryptionKey(given, surroundings);
      },
    },
  ],
};
