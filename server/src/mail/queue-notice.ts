import type { Tx } from "../db/database.ts";
import { findNoticeAddresses, type NoticeKind } from "./notice-addresses.ts";
import { isMailAddress, type Letter, queueLetter } from "./queue-letter.ts";

/** Writes a letter to everyone who gets notices of this kind. Each address has one letter for each cause. */
export async function queueNotice(
  tx: Tx,
  resellerId: string,
  kind: NoticeKind,
  letter: Omit<Letter, "to">,
  now: Date,
): Promise<void> {
  const addresses = (await findNoticeAddresses(tx, resellerId, kind)).filter(isMailAddress);
  for (const [index, to] of addresses.entries()) {
    const cause = index === 0 ? letter.cause : `${letter.cause} to ${to}`;
    await queueLetter(tx, { ...letter, cause, to }, now);
  }
}
