import { composeLetter } from "../../mail/compose-letter.ts";
import type { Letter } from "../../mail/queue-letter.ts";
import type { AccountDeps } from "../account-deps.ts";
import type { AccountRow } from "../account-queries.ts";
import type { Role } from "../permissions.ts";

type Urls = AccountDeps["urls"];
/** A single-use link and how long it works. */
export type AccountLink = { url: string; expiresAt: Date };
type Recipient = Pick<AccountRow, "kind" | "email">;

/** What the product is called to its reader. */
const placeOf = ({ kind }: Pick<AccountRow, "kind">): string =>
  kind === "user" ? "the Scrip dashboard" : "the Scrip console";

const homeOf = (urls: Urls, { kind }: Pick<AccountRow, "kind">): string =>
  kind === "user" ? `${urls.dashboard}/dashboard` : `${urls.console}/`;

const securityOf = (urls: Urls, { kind }: Pick<AccountRow, "kind">): string =>
  kind === "user" ? `${urls.dashboard}/dashboard/security` : `${urls.console}/security`;

const showTime = (at: Date): string => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;

const NOT_EXPECTED =
  "If this was not you, change your password, end all sessions and tell an owner of your team.";

export const invitationLetter = (
  account: Recipient & { role: Role },
  { url, expiresAt }: AccountLink,
  teamName: string,
): Letter =>
  composeLetter({
    to: account.email,
    cause: "person.invited",
    expiresAt,
    holdsSecret: true,
    subject: `You are invited to ${teamName} on Scrip`,
    paragraphs: [
      `You are invited to join ${teamName} in ${placeOf(account)} with the role ${account.role}.`,
      "Open the link and set a password. The link works once and for 72 hours.",
    ],
    action: { label: "Accept the invitation", url },
    footer: "If you did not expect this, ignore this message. Nothing happens until you accept.",
  });

export const resetLetter = (account: Recipient, { url, expiresAt }: AccountLink): Letter =>
  composeLetter({
    to: account.email,
    cause: "password.reset_requested",
    expiresAt,
    holdsSecret: true,
    subject: "Reset your Scrip password",
    paragraphs: [
      `Someone asked to reset the password of your account in ${placeOf(account)}.`,
      "Open the link and set a new password. The link works once and for 30 minutes.",
    ],
    action: { label: "Reset the password", url },
    footer: "If you did not ask for this, ignore this message. Your password stays as it is.",
  });

export const newSignInLetter = (
  urls: Urls,
  account: Recipient,
  seen: { device: string; address: string; at: Date },
): Letter =>
  composeLetter({
    to: account.email,
    cause: "session.started",
    subject: "New sign-in to your Scrip account",
    paragraphs: [
      `Your account in ${placeOf(account)} was signed in to from a device or address that was not seen before.`,
      `Device: ${seen.device}\nAddress: ${seen.address}\nTime: ${showTime(seen.at)}`,
    ],
    action: { label: "Review your sessions", url: securityOf(urls, account) },
    footer: NOT_EXPECTED,
  });

export const passwordChangedLetter = (urls: Urls, account: Recipient, at: Date): Letter =>
  composeLetter({
    to: account.email,
    cause: "password.changed",
    subject: "Your Scrip password was changed",
    paragraphs: [
      `The password of your account in ${placeOf(account)} was changed at ${showTime(at)}.`,
      "All other sessions were ended.",
    ],
    action: { label: "Review your account", url: securityOf(urls, account) },
    footer: NOT_EXPECTED,
  });

/** `what` is a whole sentence, such as "A passkey was added." */
export const factorChangedLetter = (urls: Urls, account: Recipient, what: string, at: Date): Letter =>
  composeLetter({
    to: account.email,
    cause: "factor.changed",
    subject: "The sign-in security of your Scrip account has changed",
    paragraphs: [what, `This happened in ${placeOf(account)} at ${showTime(at)}.`],
    action: { label: "Review your account", url: securityOf(urls, account) },
    footer: NOT_EXPECTED,
  });

/** For the owners of a team. */
export const teamChangedLetter = (
  urls: Urls,
  owner: Recipient,
  person: { email: string; role: Role; change: "joined" | "removed" },
): Letter =>
  composeLetter({
    to: owner.email,
    cause: `person.${person.change}`,
    subject:
      person.change === "joined" ? "Someone joined your team on Scrip" : "Someone left your team on Scrip",
    paragraphs: [
      person.change === "joined"
        ? `${person.email} accepted an invitation and is now on your team with the role ${person.role}.`
        : `${person.email} (${person.role}) was removed from your team and can no longer sign in.`,
    ],
    action: { label: "Open Scrip", url: homeOf(urls, owner) },
    footer: "You receive this because you manage the people of your team.",
  });

export type KeyNews = {
  /** Prefix and last four characters. */
  hint: string;
  name: string;
  /** Widened: more scopes, or more addresses that it works from. */
  change: "created" | "rolled" | "widened";
  /** Who did it. */
  by: string;
  at: Date;
};

const KEY_TEXTS: Readonly<Record<KeyNews["change"], { subject: string; did: string; label: string }>> = {
  created: {
    subject: "A new API key was created on Scrip",
    did: "created an API key for your team.",
    label: "New key",
  },
  rolled: {
    subject: "An API key was rolled on Scrip",
    did: "replaced an API key of your team by a new one.",
    label: "New key",
  },
  widened: {
    subject: "An API key on Scrip was given more access",
    did: "changed an API key of your team. It can do more now, or works from more addresses.",
    label: "Key",
  },
};

/** For the owners of a team. */
export function keyChangedLetter(urls: Urls, owner: Recipient, key: KeyNews): Letter {
  const { subject, did, label } = KEY_TEXTS[key.change];
  return composeLetter({
    to: owner.email,
    cause: `key.${key.change}`,
    subject,
    paragraphs: [
      `${key.by} ${did}`,
      `${label}: ${key.hint}${key.name === "" ? "" : `\nName: ${key.name}`}\nTime: ${showTime(key.at)}`,
    ],
    action: { label: "Review your keys", url: `${urls.dashboard}/dashboard/keys` },
    footer: "If nobody on your team did this, revoke the key and change your passwords.",
  });
}

/** For the person who was removed. */
export const removedLetter = (account: Recipient): Letter =>
  composeLetter({
    to: account.email,
    cause: "person.removed",
    subject: "Your access to Scrip has ended",
    paragraphs: [`Your account in ${placeOf(account)} was removed. All of its sessions have ended.`],
    footer: "If you think that this is a mistake, ask an owner of your team.",
  });
