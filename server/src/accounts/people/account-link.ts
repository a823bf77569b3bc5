import { createHash, randomBytes } from "node:crypto";
import type { Queryable, Tx } from "../../db/database.ts";
import type { AccountDeps } from "../account-deps.ts";
import { type AccountRow, findAccount } from "../account-queries.ts";
import type { AccountLink } from "../letters/letters.ts";
import { faceOf } from "../permissions.ts";
import { Refusal } from "../refusal.ts";
import { findLink, insertLink, type LinkPurpose, markLinkUsed, replaceLinks } from "./link-queries.ts";

const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export const LINK_LIFE_MS: Readonly<Record<LinkPurpose, number>> = {
  invite: 72 * HOUR_MS,
  reset: 30 * MINUTE_MS,
  enter: 15 * MINUTE_MS,
};

/** Where the page of each link is, below the address of its face. */
const PATHS: Readonly<Record<LinkPurpose, string>> = { invite: "accept", reset: "reset", enter: "enter" };

/** A new link of the account. Older ones for the same purpose end. */
export async function makeLink(
  deps: Pick<AccountDeps, "clock" | "urls">,
  tx: Tx,
  account: Pick<AccountRow, "id" | "kind">,
  purpose: LinkPurpose,
): Promise<AccountLink> {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const now = deps.clock.now();
  const expiresAt = new Date(now.getTime() + LINK_LIFE_MS[purpose]);
  await replaceLinks(tx, account.id, purpose, now);
  await insertLink(tx, {
    digest: digestToken(token),
    accountId: account.id,
    purpose,
    now,
    expiresAt,
  });
  const face = faceOf(account.kind);
  const path = `${face === "dashboard" ? "/dashboard" : ""}/${PATHS[purpose]}`;
  return { url: `${deps.urls[face]}${path}?token=${token}`, expiresAt };
}

export type OpenedLink =
  | { state: "open"; account: AccountRow }
  | { state: "used" | "expired" | "replaced" | "unknown" };

/** What the page of a link shows. Looking at it does not use it up: programs that read mail open links too. */
export async function openLink(
  deps: Pick<AccountDeps, "db" | "clock">,
  purpose: LinkPurpose,
  token: string,
): Promise<OpenedLink> {
  const link = await findLink(deps.db, digestToken(token), purpose);
  if (!link) return { state: "unknown" };
  if (link.usedAt) return { state: "used" };
  if (link.replacedAt) return { state: "replaced" };
  if (link.expiresAt <= deps.clock.now()) return { state: "expired" };
  const account = await findAccount(deps.db, link.accountId);
  return account && !account.removedAt ? { state: "open", account } : { state: "replaced" };
}

/** The account of a link that can be used, or a refusal that says why it cannot. */
export async function readLink(
  deps: Pick<AccountDeps, "db" | "clock">,
  purpose: LinkPurpose,
  token: string,
): Promise<AccountRow> {
  const opened = await openLink(deps, purpose, token);
  if (opened.state === "open") return opened.account;
  throw new Refusal("link_unusable", REASONS[opened.state]);
}

/** Uses the link up. Of two forms that are sent at once, one gets through. */
export async function takeLink(tx: Tx, purpose: LinkPurpose, token: string, now: Date): Promise<string> {
  const [link] = await markLinkUsed(tx, digestToken(token), purpose, now);
  if (!link) throw new Refusal("link_unusable", REASONS.used);
  return link.accountId;
}

/** Ends all links of an account that are still open. */
export async function endLinks(db: Queryable, accountId: string, now: Date): Promise<void> {
  await replaceLinks(db, accountId, undefined, now);
}

const REASONS = {
  used: "This link was used already. Sign in, or ask for a new link.",
  expired: "This link has expired. Ask for a new one.",
  replaced:
    "This link was replaced by a newer one, or is no longer needed. Use the newest link, or ask for another.",
  unknown: "This link is not complete or not known. Open it again from the message, or ask for a new one.",
} as const;

/** A token has 256 random bits, so its plain digest tells nothing of it. */
const digestToken = (token: string): Buffer => createHash("sha256").update(token).digest();
