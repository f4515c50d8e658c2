import type { CommandEntry, CommandGroup } from "../command.ts";

type Option = NonNullable<CommandEntry["options"]>[number];

const secretFile: Option = [
  "--file <file>",
  "a file with the secret, which only you can read; `-` reads standard input",
];
const accounts: Option = [
  "--account... <format>",
  "an address format, such as ethereum; give it again for more accounts",
];
const curve: Option = [
  "--curve <curve>",
  "of a private key: secp256k1, p256 or ed25519, if not that of the first format",
];
const format: Option = [
  "--format <format>",
  "form of a private key: hexadecimal (default) or solana",
];
const signerKey: Option = [
  "--signer-public-key <key>",
  "the signer's public key, if no profile has pinned it",
];
const output: Option = ["--output <file>", "a new file that only you can read"];
const print: Option = ["--print", "show the secret on standard output"];
const encryptionKey: Option = ["--key <name>", "a key of `keyhearth generate encryption-key`"];

const importHelp = `
The words or the key are encrypted to the signer on this machine, and nobody in between can read them. The
service must show the signer's key that the profile has pinned. On a terminal, the secret can be typed.`;

const exportHelp = `
Without a pinned key, the command warns and shows the one that it uses. It never prints the secret unless
--print asks for it.`;

/** Words and keys that come from elsewhere, and that leave. */
export const secretCommands: CommandGroup = {
  heading: "Import and export:",
  words: {
    import: "import wallets and private keys",
    export: "export wallets, accounts and private keys",
  },
  entries: [
    {
      name: "import wallet",
      summary: "import a wallet by its words",
      args: [["<name>", "name of the wallet"]],
      options: [secretFile, accounts, signerKey],
      connects: true,
      examples: ["keyhearth import wallet cold --file words.txt --account ethereum"],
      help: importHelp,
      run: async (given, surroundings) => {
        const { importWallet } = await import("../commands/import-wallet.ts");
        return importWallet(given, surroundings);
      },
    },
    {
      name: "import private-key",
      summary: "import a private key",
      args: [["<name>", "name of the private key"]],
      options: [secretFile, accounts, curve, format, signerKey],
      connects: true,
      examples: ["keyhearth import private-key hot --file key.txt --account ethereum"],
      help: importHelp,
      run: async (given, surroundings) => {
        const { importPrivateKey } = await import("../commands/import-private-key.ts");
        return importPrivateKey(given, surroundings);
      },
    },
    {
      name: "import begin",
      summary: "begin an import whose secret is on a machine without a network",
      args: [["<kind>", "wallet or private-key"]],
      options: [signerKey],
      connects: true,
      examples: ["keyhearth import begin wallet > begun.json"],
      help: `
Take the file to the other machine, encrypt there with \`keyhearth import encrypt\`, and come back with the result
for \`keyhearth import finish\`. It is valid for as long as the service keeps it.`,
      run: async (given, surroundings) => {
        const { importBegin } = await import("../commands/import-begin.ts");
        return importBegin(given, surroundings);
      },
    },
    {
      name: "import encrypt",
      summary: "encrypt a secret for an import, without a network",
      args: [["<begun>", "the file of `keyhearth import begin`"]],
      options: [
        secretFile,
        format,
        ["--signer-public-key <key>", "the signer's public key, if not that of the profile"],
        ["--organization-id <id>", "the organization, if not that of the profile"],
        ["--user-id <id>", "your user in it, if not that of the profile"],
        ["--profile <name>", "the profile that has these (so does KEYHEARTH_PROFILE)"],
      ],
      examples: [
        "keyhearth import encrypt begun.json --file words.txt --profile production > encrypted.json",
      ],
      help: `
Anyone who had the file on its way could have changed it. So the signer's key, the organization and the user
come from you, and a file that is for others is refused: \`keyhearth profile list --json\` shows them where the import
began.`,
      run: async (given, surroundings) => {
        const { importEncrypt } = await import("../commands/import-encrypt.ts");
        return importEncrypt(given, surroundings);
      },
    },
    {
      name: "import finish",
      summary: "finish an import with what was encrypted elsewhere",
      args: [
        ["<name>", "name of the wallet or of the private key"],
        ["<encrypted>", "the file of `keyhearth import encrypt`"],
      ],
      options: [accounts, curve],
      connects: true,
      examples: ["keyhearth import finish cold encrypted.json --account ethereum"],
      run: async (given, surroundings) => {
        const { importFinish } = await import("../commands/import-finish.ts");
        return importFinish(given, surroundings);
      },
    },
    {
      name: "export wallet",
      summary: "export the words of a wallet",
      args: [["<wallet>", "name or id of the wallet"]],
      options: [output, print, signerKey],
      connects: true,
      examples: ["keyhearth export wallet treasury --output words.txt"],
      help: exportHelp,
      run: async (given, surroundings) => {
        const { exportWallet } = await import("../commands/export-wallet.ts");
        return exportWallet(given, surroundings);
      },
    },
    {
      name: "export account",
      summary: "export the private key of an account",
      args: [["<address>", "address of the account"]],
      options: [output, print, format, signerKey],
      connects: true,
      examples: [
        "keyhearth export account 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045 --output key.txt",
      ],
      help: exportHelp,
      run: async (given, surroundings) => {
        const { exportAccount } = await import("../commands/export-account.ts");
        return exportAccount(given, surroundings);
      },
    },
    {
      name: "export private-key",
      summary: "export a private key",
      args: [["<id>", "id of the private key"]],
      options: [output, print, format, signerKey],
      connects: true,
      examples: ["keyhearth export private-key 9c1d2e3f-5b65-4b9f-9a6f-1e2b3c4d5e6f --print"],
      help: exportHelp,
      run: async (given, surroundings) => {
        const { exportPrivateKey } = await import("../commands/export-private-key.ts");
        return exportPrivateKey(given, surroundings);
      },
    },
    {
      name: "export begin",
      summary: "export to a key whose private half is on a machine without a network",
      args: [
        ["<kind>", "wallet, account or private-key"],
        ["<name>", "the wallet, the address of the account, or the id of the private key"],
      ],
      options: [encryptionKey, signerKey],
      connects: true,
      examples: ["keyhearth export begin wallet treasury --key backup-2026-11 > exported.json"],
      run: async (given, surroundings) => {
        const { exportBegin } = await import("../commands/export-begin.ts");
        return exportBegin(given, surroundings);
      },
    },
    {
      name: "export decrypt",
      summary: "open an export, without a network",
      args: [["<exported>", "the file of `keyhearth export begin`"]],
      options: [
        encryptionKey,
        output,
        print,
        format,
        ["--signer-public-key <key>", "the signer's public key, if not the one in the file"],
      ],
      examples: ["keyhearth export decrypt exported.json --key backup-2026-11 --output words.txt"],
      help: exportHelp,
      run: async (given, surroundings) => {
        const { exportDecrypt } = await import("../commands/export-decrypt.ts");
        return exportDecrypt(given, surroundings);
      },
    },
  ],
};
