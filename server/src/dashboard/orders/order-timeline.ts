import type { RevealView } from "../../fulfilment/reveal/list-codes.ts";
import { actorKey } from "../../lib/actor.ts";
import type { TimelineEntryView } from "../../orders/schemas.ts";
import { money } from "../../web/parts/money.ts";
import { exactTime } from "../../web/parts/time.ts";
import type { TimelineEntry } from "../../web/parts/timeline.ts";
import { html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, here } from "../session.ts";
import type { OrderData } from "./load-order.ts";

/** Entries of units of one line that ended in the same way are one entry. */
type Grouped = TimelineEntryView & { count: number; until: string };

/** What happened to an order, oldest first. Its readings come from the list of reveals, which says who they were. */
export function orderTimeline(data: OrderData, ctx: DashboardContext): TimelineEntry[] {
  const happened = data.timeline.filter(({ type }) => type !== "codes_revealed");
  return [
    ...group(happened).map((entry) => toEntry(entry, data, ctx)),
    ...data.codes.reveals.map((reveal) => toReveal(reveal, data)),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime());
}

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

function toEntry(entry: Grouped, { order, hosts }: OrderData, ctx: DashboardContext): TimelineEntry {
  const at = new Date(entry.at);
  const line = order.lines[entry.lineIndex ?? 0];
  const units = `${entry.count} × ${line?.name ?? "unit"}`;
  const paid = money(BigInt(order.total.amount), order.total.currency);
  switch (entry.type) {
    case "accepted":
      return { at, title: "Accepted", note: html`${paid} paid from the wallet`, tone: "good" };
    case "processing":
      return { at, title: "Processing", tone: "wait" };
    case "unit_delivered":
      return { at, title: `${units} delivered`, ...lastOne(entry), tone: "good" };
    case "unit_refused":
      return { at, title: `${units} refused`, note: entry.failureCode, tone: "bad" };
    case "completed":
      return { at, title: "Completed", tone: "good" };
    case "failed":
      return { at, title: "Failed", note: "Nothing could be delivered.", tone: "bad" };
    case "refunded":
      return { at, title: html`${amountOf(entry)} refunded`, note: "paid back to the wallet", tone: "warn" };
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
        note: endpointLink(entry, hosts, ctx),
        tone: "good",
      };
    default:
      return { at, title: entry.type };
  }
}

const lastOne = ({ at, until }: Grouped): { note?: string } =>
  until === at ? {} : { note: `the last one at ${exactTime(new Date(until))}` };

const amountOf = ({ amount }: Grouped) => amount && money(BigInt(amount.amount), amount.currency);

/** By its host. An endpoint that was removed since has no page. */
function endpointLink({ webhookId = "" }: Grouped, hosts: OrderData["hosts"], ctx: DashboardContext) {
  const host = hosts.get(webhookId);
  return host === undefined
    ? html`to <span class="id">${webhookId}</span>`
    : html`to <a class="link" href="${here(ctx, `${BASE}/webhooks/${encodeURIComponent(webhookId)}`)}">${host}</a>`;
}

function toReveal({ at, by, address, codeCount }: RevealView, { names, codes }: OrderData): TimelineEntry {
  const who = by === "operator" ? "the operator" : (names.get(actorKey(by)) ?? by.id);
  const all = codeCount >= codes.count ? "Codes" : `${codeCount} ${codeCount === 1 ? "code" : "codes"}`;
  return {
    at,
    title: `${all} revealed by ${who}`,
    ...(address === undefined ? {} : { note: `from ${address}` }),
  };
}
