import { hash } from "node:crypto";
import { type Plan, PRICE_MINOR } from "./scale-orders.ts";
import { ORDER, type ScaleTable, table, text } from "./scale-tables.ts";

const ENTRY = Buffer.from("ent");
/** The end of a wallet's chain. It moves on with each debit that is written. */
export type Head = { sequence: number; balanceMinor: number; hash: Buffer; at: number };

const HASH_BYTES = 32;
const HASHED_BYTES_MAX = 512;

/** The debits, chained as the wallets chain them. `heads` has one for each reseller. */
export function entriesTable(plan: Plan, heads: readonly Head[]): ScaleTable {
  const hashed = Buffer.alloc(HASHED_BYTES_MAX);
  return table(
    plan,
    "ledger_entries",
    ["id", "reseller_id", "sequence", "balance_after_minor", "order_id", "hash", "created_at"],
    {
      environment: text("live"),
      type: text("order"),
      counter_account: text("sales"),
      amount_minor: { type: "int8", value: -PRICE_MINOR },
      currency: text("USD"),
    },
    (writer, order) => {
      const head = heads[order.seller];
      if (!head) throw new Error("no wallet");
      head.sequence += 1;
      head.balanceMinor -= PRICE_MINOR;
      head.at = order.acceptedAt;
      const tail = order.idTail.toString("latin1");
      const entry = `ent${tail}|${plan.resellerIds[order.seller]}|live|${head.sequence}|order|sales|${-PRICE_MINOR}|${head.balanceMinor}|USD|ord${tail}|${head.at}|`;
      hashed.set(head.hash);
      head.hash = hash(
        "sha256",
        hashed.subarray(0, HASH_BYTES + hashed.write(entry, HASH_BYTES, "latin1")),
        "buffer",
      );
      writer.joined(ENTRY, order.idTail);
      writer.encoded(order.reseller);
      writer.int8(head.sequence);
      writer.int8(head.balanceMinor);
      writer.joined(ORDER, order.idTail);
      writer.bytes(head.hash);
      writer.timestamp(head.at);
    },
  );
}
