import type { KeyObject } from "node:crypto";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Letter } from "../mail/queue-letter.ts";
import type { Keyring } from "../vault/keyring.ts";
import type { PasswordHashing } from "./passwords/password-hashing.ts";
import type { Face } from "./permissions.ts";

/** Puts a letter into the outbox, in the transaction of what it tells. */
export type QueueLetter = (tx: Tx, letter: Letter) => Promise<unknown>;

/** What the verbs of this room work with. */
export type AccountDeps = {
  db: Db;
  clock: Clock;
  /** Seals what has to be read again: the secrets of TOTP. */
  keyring: Keyring;
  /** Keys what is only compared: form tokens, recovery codes, the subjects of guesses. */
  accountKey: KeyObject;
  hashing: PasswordHashing;
  queueLetter: QueueLetter;
  /** Where each face is reached, without a slash at the end. */
  urls: Readonly<Record<Face, string>>;
};

/** Where a request comes from. The address is what the trusted proxies say. */
export type Visitor = { address: string; userAgent: string };
