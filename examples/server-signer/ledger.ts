import { existsSync } from "node:fs";
import type { Address } from "viem";
import type { Answer } from "./answer.ts";
import { ledgerFile, read, type ServerFile, write } from "./files.ts";

type AccountName = "smallAccount" | "largeAccount";
type Line = { nonce: number; waiting?: string | undefined };

/** A payout of the same account waits for the approver, and the next one needs its nonce. */
export class StillWaiting extends Error {
  readonly id: string;

  constructor(id: string) {
    super(`Payout ${id} still waits for its approver. Have it approved or rejected first.`);
    this.id = id;
  }
}

/**
 * Counts the nonces of the two accounts. Only a signed transaction uses its nonce. If the program is
 * stopped after signing and before writing, two transactions have the same nonce and a chain executes
 * one of them: nothing is paid twice. If several servers share the accounts, keep this in a database.
 */
export class Ledger {
  readonly #server: ServerFile;
  readonly #stateOf: (id: string) => Promise<Answer | undefined>;
  readonly #queues: Record<AccountName, Promise<unknown>> = {
    smallAccount: Promise.resolve(),
    largeAccount: Promise.resolve(),
  };

  /** `stateOf` says what became of a payout that waited. */
  constructor(server: ServerFile, stateOf: (id: string) => Promise<Answer | undefined>) {
    this.#server = server;
    this.#stateOf = stateOf;
  }

  /** Calls `use` with the account's next nonce, one call at a time. */
  next(
    account: AccountName,
    use: (line: { address: Address; nonce: number }) => Promise<Answer>,
  ): Promise<Answer> {
    const turn = this.#queues[account].then(() => this.#take(account, use));
    this.#queues[account] = turn.catch(() => undefined);
    return turn;
  }

  async #take(
    account: AccountName,
    use: (line: { address: Address; nonce: number }) => Promise<Answer>,
  ): Promise<Answer> {
    const nonce = await this.#freeNonce(account);
    const answer = await use({ address: this.#server[account], nonce });
    if (answer.status === "signed") await save(account, { nonce: nonce + 1 });
    if (answer.status === "waiting") await save(account, { nonce, waiting: answer.id });
    return answer;
  }

  async #freeNonce(account: AccountName): Promise<number> {
    const { nonce, waiting } = (await load())[account];
    if (waiting === undefined) return nonce;
    const status = (await this.#stateOf(waiting))?.status;
    if (status === "waiting") throw new StillWaiting(waiting);
    return status === "signed" ? nonce + 1 : nonce;
  }
}

async function load(): Promise<Record<AccountName, Line>> {
  if (!existsSync(ledgerFile)) return { smallAccount: { nonce: 0 }, largeAccount: { nonce: 0 } };
  return read(ledgerFile);
}

// The two accounts have a queue each but share the file, so a write waits for the one before it.
let lastWrite: Promise<void> = Promise.resolve();

function save(account: AccountName, line: Line): Promise<void> {
  const saved = lastWrite.then(async () =>
    write(ledgerFile, { ...(await load()), [account]: line }),
  );
  lastWrite = saved.catch(() => undefined);
  return saved;
}
