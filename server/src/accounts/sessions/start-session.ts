import type { Tx } from "../../db/database.ts";
import { idsOf } from "../../lib/ids.ts";
import { type Secret, secret } from "../../lib/secret.ts";
import type { AccountDeps, Visitor } from "../account-deps.ts";
import type { AccountRow } from "../account-queries.ts";
import { newSignInLetter } from "../letters/letters.ts";
import { faceOf } from "../permissions.ts";
import { describeDevice } from "./describe-device.ts";
import { digestCookie, newCookie } from "./session-id.ts";
import { SESSIONS_MAX } from "./session-life.ts";
import { compareDevice, endOldestSessions, insertSession, renewSession } from "./session-queries.ts";

/** The cookie goes to the browser, once. */
export type StartedSession = { id: string; accountId: string; cookie: Secret<string> };

const ADDRESS_MAX_CHARACTERS = 45;
/** A device that was not used for so long counts as unknown again. */
const DEVICE_KNOWN_MS = 90 * 24 * 3_600_000;

/** Signs the account in on a browser. Its person is told by mail when it is not one that was seen before. */
export async function startSession(
  deps: Pick<AccountDeps, "clock" | "queueLetter" | "urls">,
  tx: Tx,
  account: Pick<AccountRow, "id" | "kind" | "email">,
  visitor: Visitor,
): Promise<StartedSession> {
  const now = deps.clock.now();
  const cookie = newCookie();
  const id = idsOf(deps.clock)("ses");
  const address = visitor.address.slice(0, ADDRESS_MAX_CHARACTERS);
  const device = describeDevice(visitor.userAgent);
  const since = new Date(now.getTime() - DEVICE_KNOWN_MS);
  const { hasEarlier, isKnown } = await compareDevice(tx, account.id, { address, device, since });
  const face = faceOf(account.kind);
  await insertSession(tx, {
    id,
    digest: digestCookie(cookie),
    accountId: account.id,
    face,
    now,
    address,
    device,
  });
  await endOldestSessions(tx, account.id, SESSIONS_MAX, now);
  if (hasEarlier && !isKnown)
    await deps.queueLetter(tx, newSignInLetter(deps.urls, account, { device, address, at: now }));
  return { id, accountId: account.id, cookie: secret(cookie) };
}

/** A new cookie for the same session, with fresh proof; the old one stops working. Undefined when it had ended meanwhile. */
export async function renewCookie(
  tx: Tx,
  session: { id: string; cookie: Secret<string> },
  now: Date,
): Promise<Secret<string> | undefined> {
  const cookie = newCookie();
  const before = digestCookie(session.cookie.reveal());
  const [renewed] = await renewSession(tx, { id: session.id, before, after: digestCookie(cookie), now });
  return renewed && secret(cookie);
}
