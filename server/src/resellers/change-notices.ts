import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { Problem } from "../lib/problem.ts";
import {
  type ChosenAddresses,
  listChosenAddresses,
  NOTICE_ADDRESSES_MAX,
  NOTICE_KINDS,
  type NoticeKind,
  saveChosenAddresses,
} from "../mail/notice-addresses.ts";
import { checkEmail } from "./check-reseller.ts";
import { noReseller } from "./get-reseller.ts";
import { findReseller, type ResellerRow, updateReseller } from "./queries.ts";

/** The reseller's own address, and for each kind of notice the addresses that get it instead, one on each line. */
export type NoticesInput = { email: string } & Readonly<Record<NoticeKind, string>>;

/** Changes who gets notices. A kind without addresses goes to the reseller's own. */
export async function changeNotices(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  input: NoticesInput,
  by: By,
): Promise<ResellerRow> {
  const address = readAddress(input.email, "email");
  const chosen = NOTICE_KINDS.map((kind) => [kind, readAddresses(input[kind], kind)] as const);
  return db.transaction(async (tx) => {
    const before = await findReseller(tx, id);
    const chosenBefore = await listChosenAddresses(tx, id);
    const [after] = await updateReseller(tx, id, { email: address, name: undefined, priceList: undefined });
    if (!before || !after) throw noReseller(id);
    for (const [kind, addresses] of chosen) await saveChosenAddresses(tx, id, kind, addresses);
    const summaries = {
      before: summaryOf(before.email, chosenBefore),
      after: summaryOf(after.email, Object.fromEntries(chosen)),
    };
    if (JSON.stringify(summaries.before) !== JSON.stringify(summaries.after))
      await recordActivity(tx, clock, {
        ...by,
        action: "reseller.notices_changed",
        object: { kind: "reseller", id },
        resellerId: id,
        ...summaries,
      });
    return after;
  });
}

const summaryOf = (email: string, chosen: ChosenAddresses) => ({
  email,
  ...Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, (chosen[kind] ?? []).join(", ")])),
});

function readAddresses(text: string, kind: NoticeKind): string[] {
  const given = text.split(/[\s,;]+/).filter((one) => one !== "");
  const addresses = [...new Set(given.map((one) => readAddress(one, kind)))];
  if (addresses.length <= NOTICE_ADDRESSES_MAX) return addresses;
  throw refusal(kind, `Enter at most ${NOTICE_ADDRESSES_MAX} addresses.`);
}

function readAddress(email: string, field: string): string {
  try {
    return checkEmail(email);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw refusal(field, "Enter an email address such as name@example.com.");
  }
}

const refusal = (field: string, detail: string): Problem =>
  new Problem("invalid_request", detail, { errors: [{ pointer: `/${field}`, code: "invalid", detail }] });
