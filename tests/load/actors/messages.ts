import { submission } from "../../start/post.ts";
import { type Actor, type Attack, addressIn, exchange, repeat, submissionOf } from "../attack.ts";

const PAUSE_MS = 200;

/** A tenant's mail to one person, under many names, and SMS to many numbers. */
export const messages: Actor = (attack) =>
  Promise.all(
    [mailUnderManyNames, invite, text].map((make) => repeat(attack, () => make(attack), PAUSE_MS)),
  );

/** A code for the person or one of its plus addresses, by one of the sub-organizations. */
function mailUnderManyNames(attack: Attack): Promise<number> {
  const { random } = attack;
  const contact = random.oneIn(2) ? "ada@example.com" : `ada+${random.below(100_000)}@example.com`;
  return sendCode(attack, { otpType: "OTP_TYPE_EMAIL", contact });
}

function text(attack: Attack): Promise<number> {
  const contact = `+1415555${String(attack.random.below(10_000)).padStart(4, "0")}`;
  return sendCode(attack, { otpType: "OTP_TYPE_SMS", contact });
}

function sendCode(attack: Attack, to: { otpType: string; contact: string }): Promise<number> {
  const { sender, children } = attack.world;
  const organizationId = attack.random.pick(children);
  const type = "ACTIVITY_TYPE_INIT_OTP_V3";
  const asked = submission({ organizationId }, "init_otp", type, { ...to, appName: "Example" });
  return exchange(attack, submissionOf(sender, addressIn("198.18.0", attack), asked));
}

function invite(attack: Attack): Promise<number> {
  const { sender } = attack.world;
  const invitation = {
    receiverUserName: "Ada",
    receiverUserEmail: `ada+${attack.random.below(100_000)}@example.com`,
    receiverUserTags: [],
    accessType: "ACCESS_TYPE_ALL",
    senderUserId: sender.userId,
  };
  const type = "ACTIVITY_TYPE_CREATE_INVITATIONS";
  const asked = submission(sender, "create_invitations", type, { invitations: [invitation] });
  return exchange(attack, submissionOf(sender, addressIn("198.18.0", attack), asked));
}
