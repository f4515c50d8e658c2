import type { Requirement } from "./requirement.ts";

const authenticated = [
  {
    file: "packages/engine/src/vault/seal.test.ts",
    names: [
      "it does not open for another organization, id or part",
      "nothing opens with a changed bit",
    ],
  },
  {
    file: "packages/crypto/src/sealing/bundle.test.ts",
    names: ["HPKE a changed bit anywhere, or another key, decrypts to nothing"],
  },
  {
    file: "packages/crypto/src/primitives/primitives.test.ts",
    names: ["AES-256-GCM a flipped bit of ciphertext or associated data never opens"],
  },
];

export const cryptography: readonly Requirement[] = [
  {
    number: "11.1.1",
    level: 2,
    asks: "A policy after a standard covers the life of each key.",
    answer: {
      missing:
        "The page about custody says what the root key opens, how to copy it and what to do if it leaks. No policy follows a standard, and the root key can’t be replaced.",
    },
  },
  {
    number: "11.1.2",
    level: 2,
    asks: "An inventory lists all keys, algorithms and certificates.",
    answer: {
      missing: "Several pages describe keys and algorithms. There is no single inventory.",
    },
  },
  {
    number: "11.2.1",
    level: 2,
    asks: "Cryptography comes from proven implementations.",
    answer: {
      note: "OpenSSL, libsecp256k1 and audited libraries. A test keeps our package from importing others.",
      tests: [
        { file: "scripts/workspaces.test.ts", names: ["… may not import …"] },
        {
          file: "packages/crypto/src/primitives/primitives.test.ts",
          names: [
            "hashes have their published values",
            "P-256 the deterministic nonce is that of RFC 6979",
            "Ed25519 RFC 8032, 7.1, test 2",
          ],
        },
        {
          file: "packages/crypto/src/sealing/bundle.test.ts",
          names: ["HPKE other software decrypts what is encrypted here, and the other way round"],
        },
      ],
    },
  },
  {
    number: "11.2.2",
    level: 2,
    asks: "Algorithms and keys can be replaced, and data encrypted again.",
    answer: {
      missing:
        "Keys of records have epochs, and records move to the newest. The algorithms are fixed in the code, no command makes a new epoch, and the root key can’t be replaced.",
      tests: [
        {
          file: "apps/signer/src/signer.test.ts",
          names: [
            "records of an older key epoch can be read, and are renewed under the current one",
          ],
        },
        {
          file: "packages/engine/src/vault/seal.test.ts",
          names: ["an older epoch always opens, and one that the signer does not hold never does"],
        },
      ],
    },
  },
  {
    number: "11.2.3",
    level: 2,
    asks: "Everything has 128 bits of security.",
    answer: {
      missing:
        "Our own keys do. But RSA keys of 2048 bits, about 112, are accepted of passkeys and OpenID issuers, because these use them.",
    },
  },
  {
    number: "11.3.1",
    level: 1,
    asks: "No weak modes or paddings encrypt.",
    answer: { note: "AES-256-GCM encrypts everything, in HPKE too.", tests: authenticated },
  },
  {
    number: "11.3.2",
    level: 1,
    asks: "Only approved ciphers encrypt.",
    answer: {
      tests: [
        ...authenticated,
        {
          file: "packages/crypto/src/sealing/bundle.test.ts",
          names: ["HPKE the vector, with a known ephemeral key"],
        },
      ],
    },
  },
  {
    number: "11.3.3",
    level: 2,
    asks: "Encrypted data can’t be changed unnoticed.",
    answer: {
      tests: [
        ...authenticated,
        {
          file: "packages/crypto/src/sealing/sealed-message.test.ts",
          names: ["a message with any part changed does not open"],
        },
      ],
    },
  },
  {
    number: "11.4.1",
    level: 1,
    asks: "Only approved hash functions are used.",
    answer: {
      missing:
        "SHA-2 and HMAC everywhere, and Keccak-256 and RIPEMD-160 where chains define them. But the library that verifies a passkey’s attestation may accept one of a TPM that is signed with SHA-1.",
      tests: [
        {
          file: "packages/crypto/src/primitives/primitives.test.ts",
          names: ["hashes have their published values"],
        },
      ],
    },
  },
  {
    number: "11.4.2",
    level: 2,
    asks: "Passwords are stored as slow hashes.",
    answer: { doesNotApply: "There are no passwords." },
  },
  {
    number: "11.4.3",
    level: 2,
    asks: "Hashes in signatures have 256 bits.",
    answer: {
      note: "SHA-256 for stamps, fingerprints, records and receipts.",
      tests: [
        {
          file: "packages/crypto/src/stamps/fingerprint.test.ts",
          names: ["every byte counts, however long the body is"],
        },
        {
          file: "packages/engine/src/records/notarize.test.ts",
          names: ["a digest names the exact bytes"],
        },
        {
          file: "packages/crypto/src/keys/keys.test.ts",
          names: ["a changed message, signature or key never verifies"],
        },
      ],
    },
  },
  {
    number: "11.4.4",
    level: 2,
    asks: "Keys from passwords are stretched.",
    answer: {
      doesNotApply:
        "No key comes from a password. A mnemonic has 128 bits or more, and BIP-39 says how a seed is made of it.",
    },
  },
  {
    number: "11.5.1",
    level: 2,
    asks: "What nobody may guess has 128 random bits.",
    answer: {
      note: "One-time codes are short on purpose: see 6.6.3.",
      tests: [
        {
          file: "apps/signer/src/root-key/file.test.ts",
          names: ["a new root key is 32 random bytes that only its owner can read"],
        },
        {
          file: "packages/engine/src/vault/keyring.test.ts",
          names: ["all keys of a new keyring differ, and those that sign are scalars"],
        },
        {
          file: "packages/crypto/src/keys/keys.test.ts",
          names: ["… new keys are valid, and differ"],
        },
        {
          file: "tests/attacks/invitations.test.ts",
          names: [
            "an invitation that is open is not accepted with a token that was guessed, or with that of another invitation",
          ],
        },
      ],
    },
  },
  {
    number: "11.6.1",
    level: 2,
    asks: "Keys are made, and signatures made and verified, by approved algorithms.",
    answer: {
      tests: [
        {
          file: "packages/crypto/src/keys/keys.test.ts",
          names: [
            "… keys out of range are refused",
            "a changed message, signature or key never verifies",
          ],
        },
        {
          file: "packages/crypto/src/primitives/primitives.test.ts",
          names: [
            "P-256 the deterministic nonce is that of RFC 6979",
            "secp256k1 the deterministic nonce is that of RFC 6979: key …, …",
            "Ed25519 s at or above the order is refused",
          ],
        },
      ],
    },
  },
];
