import type { ActivityEntry } from "../../activity/list-activity.ts";
import { lookText, sendText } from "../../fulfilment/operate/what-was-said.ts";
import { actorKey } from "../../lib/actor.ts";
import type { TimelineEntryView } from "../../orders/schemas.ts";
import type { Tone } from "../../web/parts/chip.ts";
import { money } from "../../web/parts/money.ts";
import { exactTime } from "../../web/parts/time.ts";
import type { TimelineEntry } from "../../web/parts/timeline.ts";
import { html } from "../../web/template/html.ts";
import { plainWord } from "../plain-word.ts";
import type { OrderData } from "./load-order.ts";

/** Units of one line that ended in the same way are one entry. */
type Grouped = TimelineEntryView & { count: number; until: string };

/** What happened to an order and who did something with it, oldest first. */
export const orderTimeline = (data: OrderData): TimelineEntry[] =>
  [
    ...group(data.described.timeline).map((entry) => toEntry(entry, data)),
    ...purchaseEntries(data),
    ...reversalEntries(data),
    ...data.actions.map((entry) => toAction(entry, data)),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime());

function group(entries: readonly TimelineEntryView[]): Grouped[] {
  const groups = new Map<string, Grouped>();
  for (const [index, entry] of entries.entries()) {
    const { type, lineIndex, failureCode, at } = entry;
    const key = lineIndex === undefined ? String(index) : `${type} ${lineIndex} ${failureCode}`;
    const found = groups.get(key);
    if (!found) groups.set(key, { ...entry, count: 1, until: at });
    else Object.assign(found, { count: found.count + 1, until: at });
  }
  return [...groups.values()];
}

function toEntry(entry: Grouped, { described: { order } }: OrderData): TimelineEntry {
  const at = new Date(entry.at);
  const units = `${entry.count} × ${order.lines[entry.lineIndex ?? 0]?.name ?? "unit"}`;
  const paid = money(BigInt(order.total.amount), order.total.currency);
  const last =
    entry.until === entry.at ? {} : { note: `the last one at ${exactTime(new Date(entry.until))}` };
  switch (entry.type) {
    case "accepted":
      return { at, title: "Accepted", note: html`${paid} paid from the wallet`, tone: "good" };
    case "processing":
      return { at, title: "Processing", tone: "wait" };
    case "unit_delivered":
      return { at, title: `${units} delivered`, ...last, tone: "good" };
    case "unit_refused":
      return { at, title: `${units} refused`, note: plainWord(entry.failureCode ?? ""), tone: "bad" };
    case "completed":
      return { at, title: "Completed", tone: "good" };
    case "failed":
      return { at, title: "Failed", note: "Nothing could be delivered.", tone: "bad" };
    case "refunded": {
      const back = entry.amount && money(BigInt(entry.amount.amount), entry.amount.currency);
      return { at, title: html`${back} refunded`, note: "paid back to the wallet", tone: "warn" };
    }
    case "event_created":
      return {
        at,
        title: html`${entry.eventType} created`,
        note: html`<span class="id">${entry.eventId}</span>`,
      };
    case "event_delivered":
      return {
        at,
        title: html`${entry.eventType} delivered`,
        note: html`to <span class="id">${entry.webhookId}</span>`,
        tone: "good",
      };
    case "codes_revealed":
      return { at, title: `${entry.codeCount} ${entry.codeCount === 1 ? "code" : "codes"} revealed` };
    default:
      return { at, title: entry.type };
  }
}

/** When a supplier was first asked and last looked up, and what it said, for units of which it said the same. */
function purchaseEntries({ described }: OrderData): TimelineEntry[] {
  const asked = Map.groupBy(
    described.purchases.filter(({ sends }) => sends > 0),
    (one) =>
      [one.supplierId, one.openedAt.getTime(), one.lookedAt?.getTime(), sendText(one), lookText(one)].join(
        " ",
      ),
  );
  return [...asked.values()].flatMap((list): TimelineEntry[] => {
    const [first] = list;
    if (!first) return [];
    const units = `${list.length} ${list.length === 1 ? "unit" : "units"}`;
    const name = first.supplierName ?? first.supplierId;
    const tone = first.isUnknown ? "warn" : "quiet";
    const [sent, looked] = [sendText(first), lookText(first)];
    return [
      {
        at: first.openedAt,
        title: `${units} asked of ${name}`,
        ...(sent === undefined ? {} : { note: `answer: ${sent}` }),
        tone,
      },
      ...(looked === undefined || first.lookedAt === null
        ? []
        : [
            {
              at: first.lookedAt,
              title: `${units} looked up at ${name}`,
              note: `answer: ${looked}`,
              tone,
            } as const,
          ]),
    ];
  });
}

/** When a supplier was seen to have given the money for a delivered unit back. */
const reversalEntries = ({ described }: OrderData): TimelineEntry[] =>
  described.purchases.flatMap(({ reversedAt, lineIndex, unitIndex, supplierName, supplierId }) =>
    reversedAt === null
      ? []
      : [
          {
            at: reversedAt,
            title: `Taken back by ${supplierName ?? supplierId}: line ${lineIndex + 1}, unit ${unitIndex + 1}`,
            note: "the supplier gave your money back after delivery",
            tone: "bad" as const,
          },
        ],
  );

const ACTION_TITLES: Readonly<Record<string, { title: string; tone: Tone }>> = {
  "order.looked_up": { title: "Looked up at supplier", tone: "quiet" },
  "order.retried": { title: "Retried", tone: "quiet" },
  "order.held": { title: "Refund held", tone: "warn" },
  "order.released": { title: "Hold released", tone: "quiet" },
  "order.refunded": { title: "Refunded", tone: "warn" },
  "order.code_entered": { title: "Code entered", tone: "good" },
  "order.reversal_kept": { title: "Reversal kept", tone: "quiet" },
  "order.charged_back": { title: "Charged back", tone: "warn" },
  "order.written_off": { title: "Written off", tone: "warn" },
};

function toAction({ at, actor, action, after }: ActivityEntry, { names }: OrderData): TimelineEntry {
  const known = ACTION_TITLES[action] ?? { title: action, tone: "quiet" as const };
  const id = actor.id ?? "";
  const who = actor.kind === "command" ? `the command ${id}` : (names.get(actorKey({ ...actor, id })) ?? id);
  const why = after?.reason ?? after?.staffNote;
  return {
    at,
    title: `${known.title} by ${who}`,
    tone: known.tone,
    ...(why === undefined ? {} : { note: `“${String(why)}”` }),
  };
}
