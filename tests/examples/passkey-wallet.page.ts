import { deleteWallets, listWallets, logOutEverywhere } from "@keyhearth/sdk";
import { SessionKeeper, type SessionKeeperOptions } from "@keyhearth/sdk/browser";

// What the same person does in another tab with the session of the wallet.

declare global {
  interface Window {
    person: typeof person;
  }
}

async function open() {
  const answer = await fetch("/config");
  const options: SessionKeeperOptions = await answer.json(); // the server's own form
  const keeper = new SessionKeeper(options);
  const session = await keeper.restore();
  if (!session) throw new Error("nobody is logged in");
  return { connection: keeper.connection(), userId: session.userId };
}

const person = {
  async deleteWallets() {
    const { connection } = await open();
    const { wallets } = await listWallets(connection);
    const walletIds = wallets.map(({ walletId }) => walletId);
    await deleteWallets(connection, { walletIds, deleteWithoutExport: true });
  },
  async endSessions() {
    const { connection, userId } = await open();
    await logOutEverywhere(connection, { userId });
  },
};

window.person = person;
