import { isInAnyRange, parseIp, parseIpRange } from "../../lib/ip.ts";
import type { AccountDeps, Visitor } from "../account-deps.ts";
import { type AccountRow, markEntered } from "../account-queries.ts";
import { lockAccount } from "../factors/factor-queries.ts";
import { Refusal } from "../refusal.ts";
import { type StartedSession, startSession } from "../sessions/start-session.ts";
import { makeLink, readLink, takeLink } from "./account-link.ts";

const LOOPBACK = ["127.0.0.0/8", "::1"].flatMap((text) => parseIpRange(text) ?? []);

/** A link that signs in once without a password, for the demo. The account becomes one that can sign in. */
export function makeEntry(deps: AccountDeps, account: Pick<AccountRow, "id" | "kind">): Promise<string> {
  return deps.db.transaction(async (tx) => {
    await markEntered(tx, account.id, deps.clock.now());
    return (await makeLink(deps, tx, account, "enter")).url;
  });
}

/** Signs in by such a link, from this machine alone. */
export async function openEntry(deps: AccountDeps, token: string, visitor: Visitor): Promise<StartedSession> {
  const address = parseIp(visitor.address);
  if (!address || !isInAnyRange(address, LOOPBACK))
    throw new Refusal("not_local", "This link works on the machine that the demo runs on.");
  const account = await readLink(deps, "enter", token);
  return deps.db.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    await takeLink(tx, "enter", token, deps.clock.now());
    return startSession(deps, tx, account, visitor);
  });
}
