import type { TenantSummary } from "../../reports/summarise-tenant.ts";
import { countText } from "../../web/parts/money.ts";
import { spanText } from "../../web/parts/time.ts";
import { SLOW_MS } from "./find-needs.ts";
import type { HomeData } from "./load-home.ts";

/** Below this share of completed orders something is wrong. */
const USUAL_SHARE = 0.95;

/** One sentence on whether it is working, and one on how much needs the reader. */
export function stateSentence(data: HomeData, needs: number, now: Date): string {
  const rest =
    needs === 0
      ? " Nothing needs you."
      : needs === 1
        ? " One thing needs you."
        : ` ${countText(needs)} things need you.`;
  return `${workingSentence(data, now)}${rest}`;
}

function workingSentence(data: HomeData, now: Date): string {
  const { frozenAt, summary, oldestOpenAt, span } = data;
  if (frozenAt !== null) return "Your account is frozen, and new orders are refused.";
  if (oldestOpenAt !== null && now.getTime() - oldestOpenAt.getTime() >= SLOW_MS)
    return `Orders take longer than usual: the oldest has been open for ${spanText(now.getTime() - oldestOpenAt.getTime())}.`;
  if (isIdle(data)) return `There were no orders in the last ${span} days.`;
  const share = successShare(summary);
  if (share !== undefined && share < USUAL_SHARE) return "More orders than usual fail.";
  return "Everything is being fulfilled normally.";
}

/** Nothing was ordered, ended or refunded in these days. */
export const isIdle = ({ summary: { days, completed, failed } }: HomeData): boolean =>
  completed + failed === 0 && days.every(({ orders, refunds }) => orders + refunds === 0);

const successShare = ({ completed, failed }: TenantSummary): number | undefined =>
  completed + failed === 0 ? undefined : completed / (completed + failed);

/** The share of the orders that have ended, rounded down so that 100 % means all of them. */
export function rateText(summary: TenantSummary): { value: string; unit?: string; note: string } {
  const share = successShare(summary);
  if (share === undefined) return { value: "–", note: "no orders have ended yet" };
  const { completed, failed, partial } = summary;
  const inPart = partial === 0 ? "" : `, ${countText(partial)} refunded in part`;
  return {
    value: String(Math.floor(share * 1_000) / 10),
    unit: "%",
    note: `${countText(completed)} of ${countText(completed + failed)} completed${inPart}`,
  };
}

const MINUTE_MS = 60_000;

/** `0.8 s`, `42 s`, `3 min`: fine where it is short. Longer than the longest class of times is infinite. */
export function durationOf(ms: number): string {
  if (!Number.isFinite(ms)) return "over a day";
  if (ms < 10_000) return `${(Math.round(ms / 100) / 10).toFixed(1)} s`;
  return ms < MINUTE_MS ? `${Math.round(ms / 1_000)} s` : spanText(ms);
}
