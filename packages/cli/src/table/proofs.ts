import type { CommandGroup } from "../command.ts";

/** What the signer has stated, and whether everything works. */
export const proofCommands: CommandGroup = {
  heading: "Proofs and diagnosis:",
  words: {
    backup: "check copies of a service, and restore them for a try",
    receipts: "export receipts, and verify and compare exports without a service",
  },
  entries: [
    {
      name: "receipts export",
      summary: "write the receipts of the organization to a file",
      args: [["<file>", "a new file"]],
      options: [["--after-segment <number>", "only the segments after this one"]],
      connects: true,
      examples: ["keyhearth receipts export receipts-2026-11.json"],
      run: async (given, surroundings) => {
        const { receiptsExport } = await import("../commands/receipts-export.ts");
        return receiptsExport(given, surroundings);
      },
    },
    {
      name: "receipts verify",
      summary: "verify an export of receipts, without a service",
      args: [["<file>", "a file of `keyhearth receipts export`"]],
      options: [
        [
          "--quorum-public-key <key>",
          "the quorum key that you have pinned, if not that of the profile",
        ],
        ["--from <digest>", "digest of the segment before the first one of the file"],
        ["--profile <name>", "the profile that has pinned the key (so does KEYHEARTH_PROFILE)"],
      ],
      examples: ["keyhearth receipts verify receipts-2026-11.json --profile production"],
      help: `
Exit code: 0 valid, 1 not valid, 2 an argument is wrong.`,
      run: async (given, surroundings) => {
        const { receiptsVerify } = await import("../commands/receipts-verify.ts");
        return receiptsVerify(given, surroundings);
      },
    },
    {
      name: "receipts compare",
      summary: "find out whether two exports tell the same history",
      args: [
        ["<first>", "a file of `keyhearth receipts export`"],
        ["<second>", "another export of the same organization"],
      ],
      options: [
        [
          "--quorum-public-key <key>",
          "the quorum key that you have pinned, if not that of the profile",
        ],
        ["--profile <name>", "the profile that has pinned the key (so does KEYHEARTH_PROFILE)"],
      ],
      examples: ["keyhearth receipts compare mine.json theirs.json --profile production"],
      help: `
Exit code: 0 the same history, 1 two histories or a file that is not valid, 2 an argument is wrong, 3 nothing in common.`,
      run: async (given, surroundings) => {
        const { receiptsCompare } = await import("../commands/receipts-compare.ts");
        return receiptsCompare(given, surroundings);
      },
    },
    {
      name: "backup check",
      summary: "find out whether copies of a service are complete and would open",
      args: [
        ["<keys>", "the folder that back-up-keys.sh has written"],
        ["<database>", "the file that back-up-postgres.sh or back-up-embedded.sh has written"],
      ],
      options: [["--profile <name>", "the profile whose pinned keys the copy must have"]],
      examples: [
        "keyhearth backup check /mnt/secrets /mnt/backup/keyhearth.dump --profile production",
      ],
      help: `
Opens the keyring with the root key in a temporary place, compares the public keys with those that the
profile has pinned, and reads the list of the database's copy. Needs keyhearth-signer or the package keyhearth
on this machine. Whether the database belongs to the keys, only a restore shows: \`keyhearth backup drill\`.

Exit code: 0 nothing is wrong, 1 something is.`,
      run: async (given, surroundings) => {
        const { backupCheck } = await import("../commands/backup-check.ts");
        return backupCheck(given, surroundings);
      },
    },
    {
      name: "backup drill",
      summary: "restore copies into a temporary place, open every key and sign there",
      args: [
        ["<keys>", "the folder that back-up-keys.sh has written"],
        ["<database>", "the file that back-up-postgres.sh or back-up-embedded.sh has written"],
      ],
      options: [
        ["--profile <name>", "whose key signs, and whose pinned keys the copy must have"],
        ["--organization-id <id>", "sign in this organization, such as a sub-organization"],
        ["--with <address>", "sign with this account, and not with the first one"],
        ["--directory <folder>", "where to restore (the folder for temporary files)"],
        ["--minutes <number>", "give up after so long (120)"],
      ],
      examples: [
        "keyhearth backup drill /mnt/secrets /mnt/backup/keyhearth.dump --profile production",
        "keyhearth backup drill ../keyhearth-keys ../keyhearth-database.tar --json",
      ],
      help: `
Does what \`keyhearth backup check\` does, restores both copies into a folder that only you can open, and starts the
service there in a way that delivers nothing: no mail, no webhook, nothing in the background. It finds out whether the
signer opens every key and whether the copy has every key that its organizations list, lets the restored signer decide
about a text that is signed, and verifies the signature itself. A dump is restored into a PostgreSQL of its own. The
copies stay as they are, and the folder is removed at the end, also after Ctrl-C, after --minutes, and if less than
512 MB of the disk would be left.

Signs with the key of --profile, KEYHEARTH_PROFILE or KEYHEARTH_ROOT_KEY, else with root-api-key.json beside the keys,
else with that of the current profile if it is of this service. Without any, nothing is signed. Needs the package
keyhearth, or the Debian packages keyhearth and keyhearth-signer, on this machine.

Exit code: 0 nothing is wrong, 1 something is.`,
      run: async (given, surroundings) => {
        const { backupDrill } = await import("../commands/backup-drill.ts");
        return backupDrill(given, surroundings);
      },
    },
    {
      name: "doctor",
      summary: "look for the reason why a command does not work, or look at a whole installation",
      connects: true,
      options: [
        [
          "--url <url>",
          "look at the installation at this address, as everybody sees it, without a key",
        ],
        ["--inside", "look at it from its own machine, with the settings of this environment"],
        ["--env-file <file>", "the same, with the settings in the file of its unit"],
        ["--backup <path>", "how old the newest copy is in this folder"],
      ],
      examples: [
        "keyhearth doctor",
        "keyhearth doctor --profile production --json",
        "keyhearth doctor --url https://keys.example.com --profile production",
        "keyhearth doctor --env-file /etc/keyhearth/api.env --backup /mnt/backup",
      ],
      help: `
Looks at the modes of your folder of keys, the key, the service and its readiness, the clocks, the pinned keys, and who
the key belongs to.

With --url it looks at TLS and when its certificate ends, the release, the clocks, readiness, the keys that your profile has
pinned, sign-up, what strangers can read, pages, headers and CORS. With --inside or --env-file, which need the package
keyhearth or the Debian package, the service itself looks at its settings, the modes of its files, the
separation of the signer, its clock and marks, the database's settings and standbys, and the disk. It starts nothing
and changes nothing, and shows no secret. Run it as the service's user.

Exit code: 0 nothing is wrong, 1 something is.`,
      run: async (given, surroundings) => {
        const { doctor } = await import("../commands/doctor.ts");
        return doctor(given, surroundings);
      },
    },
  ],
};
