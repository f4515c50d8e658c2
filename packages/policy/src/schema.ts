import { CLAUSES, type Clause } from "./ast.ts";
import { chainTypes } from "./chains/index.ts";
import { derivedParams } from "./generated/activity-params.ts";
import {
  bool,
  int,
  list,
  map,
  type Param,
  paramObject,
  type StructType,
  string,
  struct,
  type Type,
  timestamp,
} from "./types.ts";

const User = struct("User", {
  id: string,
  /** Ids of the tags. */
  tags: list(string),
  email: string,
  alias: string,
});

const Credential = struct("Credential", {
  id: string,
  user_id: string,
  type: string,
  /** Set for passkeys; otherwise ''. */
  credential_id: string,
  public_key: string,
});

const Wallet = struct("Wallet", { id: string, imported: bool, exported: bool, label: string });

const WalletAccount = struct("WalletAccount", {
  address: string,
  /** Without the hardened bit. Both lists exist for the export of an account only. */
  path_indexes: list(int),
  path_hardened: list(bool),
});

const PrivateKey = struct("PrivateKey", {
  id: string,
  tags: list(string),
  imported: bool,
  exported: bool,
  label: string,
});

const Secret = struct("Secret", { static_properties: map(string) });

const Activity = struct("Activity", {
  type: string,
  resource: string,
  action: string,
  params: paramObject,
  kind: string,
});

/** The names an expression starts from, by the clause that sees them. */
export const ROOTS: Readonly<Record<Clause, Readonly<Record<string, Type>>>> = {
  condition: {
    activity: Activity,
    wallet: Wallet,
    wallet_account: WalletAccount,
    private_key: PrivateKey,
    wallets: list(Wallet),
    secret: Secret,
    ...chainTypes,
  },
  consensus: { approvers: list(User), credentials: list(Credential) },
  time: { time: struct("time", { now: timestamp }) },
};

const SparkKeyDerivation = filled("SparkKeyDerivation", {
  type: string,
  signing_leaf: filled("SparkSigningLeaf", { leaf_id: string }),
  static_deposit: filled("SparkStaticDeposit", { index: int }),
});

const SparkOperatorRecipient = filled("SparkOperatorRecipient", {
  operator_id: string,
  encryption_public_key: string,
});

/** Parameters of kinds that neither a declaration nor the facts of the wire describe yet. */
const laterParams: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  SPARK_SIGN_FROST: {
    sign_with: string,
    signatures: list(
      filled("SparkSignatureRequest", {
        derivation: SparkKeyDerivation,
        message: string,
        verifying_key: string,
        operator_commitments: list(
          filled("SparkFrostCommitment", { id: string, hiding: string, binding: string }),
        ),
        adaptor_public_key: string,
      }),
    ),
  },
  SPARK_PREPARE_TRANSFER: {
    sign_with: string,
    transfer: filled("SparkTransferPackage", {
      transfer_id: string,
      leaves: list(
        filled("SparkTransferLeaf", {
          leaf_id: string,
          old_leaf_derivation: SparkKeyDerivation,
          new_leaf_derivation: SparkKeyDerivation,
          refund_signature: string,
          direct_refund_signature: string,
          direct_from_cpfp_refund_signature: string,
        }),
      ),
      threshold: int,
      operator_recipients: list(SparkOperatorRecipient),
      receiver_public_key: string,
    }),
  },
  SPARK_CLAIM_TRANSFER: {
    sign_with: string,
    claim: filled("SparkClaimPackage", {
      leaves: list(
        filled("SparkClaimLeaf", {
          leaf_id: string,
          ciphertext: string,
          sender_signature: string,
        }),
      ),
      threshold: int,
      operator_recipients: list(SparkOperatorRecipient),
      transfer_id: string,
      sender_identity_public_key: string,
    }),
  },
  SPARK_PREPARE_LIGHTNING_RECEIVE: {
    sign_with: string,
    lightning_receive: filled("SparkLightningReceivePackage", {
      threshold: int,
      operator_recipients: list(SparkOperatorRecipient),
    }),
  },
};

/**
 * Fields of `activity.params` by kind of activity, the same for every version of the kind. Policies
 * see any other field as the environment has it.
 */
export const ACTIVITY_PARAMS: Readonly<Record<string, Readonly<Record<string, Param>>>> = {
  ...derivedParams,
  ...Object.fromEntries(
    Object.entries(laterParams).map(([kind, fields]) => [kind, required(fields)]),
  ),
};

/** The clause whose root has this name. */
export function clauseOf(root: string): Clause | undefined {
  return CLAUSES.find((clause) => Object.hasOwn(ROOTS[clause], root));
}

/** Dotted paths an expression of the clause may start with, for suggestions and completion. */
export function pathsOf(clause: Clause): string[] {
  const paths: string[] = [];
  const walk = (path: string, type: Type) => {
    paths.push(path);
    if (type.kind !== "struct") return;
    for (const [name, field] of Object.entries(type.fields)) walk(`${path}.${name}`, field);
  };
  for (const [name, type] of Object.entries(ROOTS[clause])) walk(name, type);
  return paths;
}

function required(fields: Readonly<Record<string, Type>>): Record<string, Param> {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }]));
}

function filled(name: string, fields: Record<string, Type>): StructType {
  return { ...struct(name, fields), filled: true };
}
