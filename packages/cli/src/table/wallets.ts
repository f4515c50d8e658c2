import type { CommandGroup } from "../command.ts";
import { LIMIT_OPTION } from "../pages.ts";

/** What an organization has. */
export const walletCommands: CommandGroup = {
  heading: "Organizations, wallets and signatures:",
  words: {
    organizations: "show an organization, and export all of its data to a file",
    "sub-organizations": "list and create sub-organizations",
    users: "list, create and delete users, and register keys",
    wallets: "list, create, rename and delete wallets",
    accounts: "list and create accounts of wallets",
    "private-keys": "list and create private keys without a wallet",
    sign: "sign messages, payloads and transactions",
  },
  entries: [
    {
      name: "organizations get",
      summary: "show the organization: its root users, and how much it has",
      connects: true,
      examples: [
        "keyhearth organizations get",
        "keyhearth organizations get --organization-id 5b2a9f04-64f9-4d4b-9d8e-3c5a0a9c1f11 --json",
      ],
      run: async (given, surroundings) => {
        const { organizationsGet } = await import("../commands/organizations-get.ts");
        return organizationsGet(given, surroundings);
      },
    },
    {
      name: "organizations export",
      summary: "write all data of the organization to a file, without secrets",
      args: [["<file>", "a new file, of which each line is JSON"]],
      options: [
        ["--sub-organizations", "also those of its sub-organizations"],
        [
          "--retry-seconds <number>",
          "for how long to ask again a service that stops answering (120)",
        ],
      ],
      connects: true,
      examples: [
        "keyhearth organizations export acme-2026-11.jsonl --profile production",
        "keyhearth organizations export everything.jsonl --sub-organizations",
      ],
      help: `
Reads what the API shows to a user: users, tags, policies, wallets, accounts, the public parts of private keys,
activities with their results, and receipts. If the profile has pinned the quorum key, receipts and addresses are
verified on the way. It waits some seconds for receipts that are not sealed yet, and ends if the service shows more
activities than it has receipts for. The file has its name once it is whole, and only you may read it. If the
connection is cut, it asks again for two minutes. What is there until then is in <file>.part, and the same command goes
on from there, also after Ctrl-C.`,
      run: async (given, surroundings) => {
        const { organizationsExport } = await import("../commands/organizations-export.ts");
        return organizationsExport(given, surroundings);
      },
    },
    {
      name: "organizations verify",
      summary: "verify an export of an organization, without a service",
      args: [["<file>", "a file of `keyhearth organizations export`"]],
      options: [
        [
          "--quorum-public-key <key>",
          "the quorum key that you have pinned, if not that of the profile",
        ],
        ["--profile <name>", "the profile that has pinned the key (so does KEYHEARTH_PROFILE)"],
      ],
      examples: ["keyhearth organizations verify acme-2026-11.jsonl --profile production"],
      help: `
Finds out whether the file is whole, whether the signer has sealed its receipts and none is left out, and whether
each activity has the request, type, status, time and result of its receipt, and each vote its stamp. Users, policies
and wallets are what the service said. A file with something that has no receipt yet is not called valid: export again.
Nor is one with a later vote by a key that neither its users nor its requests have: a stamp proves a key and not a user.

Exit code: 0 valid, 1 not valid, 2 an argument is wrong, 3 nothing is wrong, but something is not proven.`,
      run: async (given, surroundings) => {
        const { organizationsVerify } = await import("../commands/organizations-verify.ts");
        return organizationsVerify(given, surroundings);
      },
    },
    {
      name: "sub-organizations list",
      summary: "list the sub-organizations",
      options: [
        LIMIT_OPTION,
        [
          "--filter <name=value>",
          "only those with this name, username, email, phone_number, public_key, credential_id or wallet_account_address",
        ],
      ],
      connects: true,
      examples: [
        "keyhearth sub-organizations list",
        "keyhearth sub-organizations list --filter email=ada@example.com",
      ],
      run: async (given, surroundings) => {
        const { subOrganizationsList } = await import("../commands/sub-organizations-list.ts");
        return subOrganizationsList(given, surroundings);
      },
    },
    {
      name: "sub-organizations create",
      summary: "create a sub-organization with one root user, who has an API key",
      args: [["<name>", "name of the sub-organization"]],
      options: [
        ["--user <name>", "name of its root user (root)"],
        [
          "--public-key <key>",
          "the public half in hex, or the name of a key of `generate api-key`",
        ],
        [
          "--curve <curve>",
          "of a public key in hex: p256 (default), secp256k1 or ed25519, which 64 characters need",
        ],
        [
          "--account... <format>",
          "an address format, such as ethereum; give it again for more accounts",
        ],
      ],
      connects: true,
      examples: [
        'keyhearth sub-organizations create "Ada\'s wallet" --public-key ada --account ethereum',
      ],
      run: async (given, surroundings) => {
        const { subOrganizationsCreate } = await import("../commands/sub-organizations-create.ts");
        return subOrganizationsCreate(given, surroundings);
      },
    },
    {
      name: "users list",
      summary: "list the users",
      options: [LIMIT_OPTION],
      connects: true,
      examples: ["keyhearth users list", "keyhearth users list --json"],
      run: async (given, surroundings) => {
        const { usersList } = await import("../commands/users-list.ts");
        return usersList(given, surroundings);
      },
    },
    {
      name: "users get",
      summary: "show a user with every key and passkey",
      args: [["<id>", "id of the user"]],
      connects: true,
      examples: ["keyhearth users get 6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e"],
      run: async (given, surroundings) => {
        const { usersGet } = await import("../commands/users-get.ts");
        return usersGet(given, surroundings);
      },
    },
    {
      name: "users create",
      summary: "create a user who has an API key, such as a program",
      args: [["<name>", "name of the user"]],
      options: [
        [
          "--public-key <key>",
          "the public half in hex, or the name of a key of `generate api-key`",
        ],
        [
          "--curve <curve>",
          "of a public key in hex: p256 (default), secp256k1 or ed25519, which 64 characters need",
        ],
        ["--key-name <name>", "name of the key (first key)"],
        ["--email <address>", "email address of the user"],
        ["--tag... <id>", "id of a tag; give it again for more tags"],
      ],
      connects: true,
      examples: ["keyhearth generate api-key ci && keyhearth users create ci --public-key ci"],
      help: `
Until policies allow more, the user may read, and nothing else.`,
      run: async (given, surroundings) => {
        const { usersCreate } = await import("../commands/users-create.ts");
        return usersCreate(given, surroundings);
      },
    },
    {
      name: "users add-key",
      summary: "register the public half of a key for a user",
      args: [["<id>", "id of the user"]],
      options: [
        [
          "--public-key <key>",
          "the public half in hex, or the name of a key of `generate api-key`",
        ],
        [
          "--curve <curve>",
          "of a public key in hex: p256 (default), secp256k1 or ed25519, which 64 characters need",
        ],
        ["--key-name <name>", "name of the key"],
      ],
      connects: true,
      examples: [
        "keyhearth users add-key 6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e --public-key laptop",
      ],
      run: async (given, surroundings) => {
        const { usersAddKey } = await import("../commands/users-add-key.ts");
        return usersAddKey(given, surroundings);
      },
    },
    {
      name: "users delete",
      summary: "delete a user with all credentials",
      args: [["<id>", "id of the user"]],
      options: [["--yes", "do not ask"]],
      connects: true,
      examples: ["keyhearth users delete 6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e --yes"],
      run: async (given, surroundings) => {
        const { usersDelete } = await import("../commands/users-delete.ts");
        return usersDelete(given, surroundings);
      },
    },
    {
      name: "wallets list",
      summary: "list the wallets",
      options: [LIMIT_OPTION],
      connects: true,
      examples: ["keyhearth wallets list"],
      run: async (given, surroundings) => {
        const { walletsList } = await import("../commands/wallets-list.ts");
        return walletsList(given, surroundings);
      },
    },
    {
      name: "wallets create",
      summary: "create a wallet with its first accounts",
      args: [["<name>", "name of the wallet"]],
      options: [
        [
          "--account... <format>",
          "an address format, such as ethereum; give it again for more accounts",
        ],
        ["--words <number>", "words of its mnemonic: 12 (default), 15, 18, 21 or 24"],
      ],
      connects: true,
      examples: [
        "keyhearth wallets create treasury --account ethereum --account solana",
        "keyhearth wallets create cold --words 24",
      ],
      help: `
Curve and path of an account follow from its address format, as \`keyhearth address-formats\` shows them.`,
      run: async (given, surroundings) => {
        const { walletsCreate } = await import("../commands/wallets-create.ts");
        return walletsCreate(given, surroundings);
      },
    },
    {
      name: "wallets rename",
      summary: "give a wallet another name",
      args: [
        ["<wallet>", "name or id of the wallet"],
        ["<name>", "its new name"],
      ],
      connects: true,
      examples: ["keyhearth wallets rename treasury reserve"],
      run: async (given, surroundings) => {
        const { walletsRename } = await import("../commands/wallets-rename.ts");
        return walletsRename(given, surroundings);
      },
    },
    {
      name: "wallets delete",
      summary: "delete a wallet with all its accounts",
      args: [["<wallet>", "name or id of the wallet"]],
      options: [
        ["--without-export", "even if it was never exported, so that nobody can restore it"],
        ["--yes", "do not ask"],
      ],
      connects: true,
      examples: [
        "keyhearth wallets delete test --without-export",
        "keyhearth wallets delete 7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f --without-export --yes",
      ],
      run: async (given, surroundings) => {
        const { walletsDelete } = await import("../commands/wallets-delete.ts");
        return walletsDelete(given, surroundings);
      },
    },
    {
      name: "accounts list",
      summary: "list the accounts of a wallet, or of all wallets",
      options: [["--wallet <wallet>", "name or id of the wallet"], LIMIT_OPTION],
      connects: true,
      examples: ["keyhearth accounts list --wallet treasury"],
      run: async (given, surroundings) => {
        const { accountsList } = await import("../commands/accounts-list.ts");
        return accountsList(given, surroundings);
      },
    },
    {
      name: "accounts create",
      summary: "derive an account; its curve and path follow from the address format",
      args: [
        ["<wallet>", "name or id of the wallet"],
        ["<format>", "an address format of `keyhearth address-formats`"],
      ],
      options: [
        ["--path <path>", "its derivation path, if not the next one of this format"],
        ["--curve <curve>", "secp256k1, p256 or ed25519, if the format leaves a choice"],
        ["--name <name>", "name of the account"],
      ],
      connects: true,
      examples: [
        "keyhearth accounts create treasury ethereum",
        "keyhearth accounts create treasury bitcoin_mainnet_p2tr --path \"m/86'/0'/0'/0/7\"",
      ],
      run: async (given, surroundings) => {
        const { accountsCreate } = await import("../commands/accounts-create.ts");
        return accountsCreate(given, surroundings);
      },
    },
    {
      name: "private-keys list",
      summary: "list the private keys that belong to no wallet",
      options: [LIMIT_OPTION],
      connects: true,
      examples: ["keyhearth private-keys list"],
      run: async (given, surroundings) => {
        const { privateKeysList } = await import("../commands/private-keys-list.ts");
        return privateKeysList(given, surroundings);
      },
    },
    {
      name: "private-keys create",
      summary: "create a private key that belongs to no wallet",
      args: [["<name>", "name of the private key"]],
      options: [
        [
          "--account... <format>",
          "an address format, such as ethereum; give it again for more accounts",
        ],
        ["--curve <curve>", "secp256k1, p256 or ed25519, if not that of the first format"],
        ["--tag... <id>", "id of a tag; give it again for more tags"],
      ],
      connects: true,
      examples: ["keyhearth private-keys create hot --account ethereum"],
      run: async (given, surroundings) => {
        const { privateKeysCreate } = await import("../commands/private-keys-create.ts");
        return privateKeysCreate(given, surroundings);
      },
    },
    {
      name: "address-formats",
      summary: "list the address formats, with curve and usual path",
      examples: ["keyhearth address-formats"],
      run: async () => {
        const { addressFormats } = await import("../commands/address-formats.ts");
        return addressFormats();
      },
    },
    {
      name: "sign message",
      summary: "sign a text as wallets of the chain do",
      args: [["[text]", "the text"]],
      options: [
        ["--with <signer>", "the address of an account, or the id of a private key"],
        ["--file <file>", "a file with the text; `-` reads standard input"],
      ],
      connects: true,
      examples: [
        'keyhearth sign message "log in to example.com" --with 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
      ],
      help: `
An Ethereum address signs as EIP-191 says (personal_sign). Keys on Ed25519 sign the text itself, other keys
its SHA-256.

Exit code: 0 signed, 2 an argument is wrong, 4 refused, 5 waits for approvals, 6 no service.`,
      run: async (given, surroundings) => {
        const { signMessage } = await import("../commands/sign-message.ts");
        return signMessage(given, surroundings);
      },
    },
    {
      name: "sign payload",
      summary: "sign bytes, typed data or a digest",
      args: [["[payload]", "the payload"]],
      options: [
        ["--with <signer>", "the address of an account, or the id of a private key"],
        ["--encoding <encoding>", "hexadecimal (default), text, eip712 or eip7702"],
        [
          "--hash <function>",
          "no-op for a digest of 32 bytes, sha256, keccak256, or not-applicable on Ed25519",
        ],
        ["--file <file>", "a file with the payload; `-` reads standard input"],
      ],
      connects: true,
      examples: [
        "keyhearth sign payload 9c22ff5f21f0b81b113e63f7db6da94fedef11b2119b4088b89664fb9a3cb658 --hash no-op --with 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
        "keyhearth sign payload --file order.json --encoding eip712 --with 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
      ],
      help: `
Exit code: 0 signed, 2 an argument is wrong, 4 refused, 5 waits for approvals, 6 no service.`,
      run: async (given, surroundings) => {
        const { signPayload } = await import("../commands/sign-payload.ts");
        return signPayload(given, surroundings);
      },
    },
    {
      name: "sign transaction",
      summary: "sign a transaction, whose parts policies see",
      args: [
        [
          "<transaction>",
          "the unsigned transaction in hex, or a file with it; `-` reads standard input",
        ],
      ],
      options: [
        ["--with <signer>", "the address of an account, or the id of a private key"],
        ["--type <chain>", "ethereum, solana, tron or bitcoin"],
      ],
      connects: true,
      examples: [
        "keyhearth sign transaction unsigned.hex --type ethereum --with 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
      ],
      help: `
Exit code: 0 signed, 2 an argument is wrong, 4 refused, 5 waits for approvals, 6 no service.`,
      run: async (given, surroundings) => {
        const { signTransaction } = await import("../commands/sign-transaction.ts");
        return signTransaction(given, surroundings);
      },
    },
  ],
};
