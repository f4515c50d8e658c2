import { type Connection, getWalletAccount, NotFound } from "@keyhearth/sdk";

/** How many requests are on their way at a time. */
const AT_ONCE = 6;

/**
 * The wallet that has an address. The API finds an account by its address within a wallet, so this asks for each wallet: the answer
 * comes from an index, however many accounts a wallet has. `onAsked` counts.
 */
export async function findWalletOf(
  connection: Connection,
  { address, walletIds }: { address: string; walletIds: readonly string[] },
  { signal, onAsked }: { signal: AbortSignal; onAsked: (count: number) => void },
): Promise<{ walletId: string; address: string } | undefined> {
  const left = [...walletIds];
  let asked = 0;
  let found: { walletId: string; address: string } | undefined;
  const work = async () => {
    for (let walletId = left.shift(); walletId !== undefined && !found; walletId = left.shift()) {
      const account = await findAccount(connection, { walletId, address }, signal);
      onAsked(++asked);
      if (account) found = { walletId, address: account.address };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

async function findAccount(
  connection: Connection,
  sought: { walletId: string; address?: string; path?: string },
  signal: AbortSignal,
) {
  try {
    return (await getWalletAccount(connection, sought, { signal })).account;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/**
 * The number of the first account after those that a wallet has at these paths. It doubles, and then halves what is between, so a
 * wallet with 10,000 accounts needs 28 requests. Where people left gaps, it may find one.
 */
export async function nextNumber(
  connection: Connection,
  { walletId, pathOf }: { walletId: string; pathOf: (number: number) => string },
  signal: AbortSignal,
): Promise<number> {
  const isTaken = async (number: number) =>
    (await findAccount(connection, { walletId, path: pathOf(number) }, signal)) !== undefined;
  let free = 0;
  let taken = -1;
  while (await isTaken(free)) {
    taken = free;
    free = free * 2 + 1;
  }
  while (free - taken > 1) {
    const between = Math.floor((free + taken) / 2);
    if (await isTaken(between)) taken = between;
    else free = between;
  }
  return free;
}
