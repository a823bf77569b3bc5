import type { Command } from "commander";
import { durationText } from "../../../lib/duration.ts";
import { formatAmount } from "../../../lib/money.ts";
import { getSupplierDetails, type SupplierDetails } from "../../../suppliers/supplier-health.ts";
import { fields } from "../../output/fields.ts";
import { plural, showTime } from "../../output/format.ts";
import { verb } from "../../verb.ts";

export function supplierShowCommand(supplier: Command): void {
  verb(
    supplier
      .command("show")
      .description("one supplier: state, balance, limits and how its purchases of a week went")
      .argument("<id>"),
    async ({ db, clock }, _options, [id = ""]) => {
      const now = clock.now();
      return toView(await getSupplierDetails(db, id, now), now);
    },
    show,
  );
}

function toView(details: SupplierDetails, now: Date) {
  const { id, kind, name, enabled, ratePerSecond, createdAt, breaker, guard, balance, notFound } = details;
  const { openUntil, consecutiveFailures } = breaker;
  const { balanceMinor, currency, balanceAt, lowMinor } = balance;
  const money = (minor: bigint | null) =>
    minor === null || currency === null ? undefined : `${formatAmount(minor, currency)} ${currency}`;
  return {
    ...{ id, kind, name, ratePerSecond, enabled },
    state: !enabled ? "disabled" : openUntil !== null && openUntil > now ? "paused" : "enabled",
    ...(guard.disabled && {
      disabledAt: guard.disabled.at.toISOString(),
      disabledReason: guard.disabled.reason,
    }),
    ...(openUntil !== null && openUntil > now ? { pausedUntil: openUntil.toISOString() } : {}),
    consecutiveFailures,
    balance: money(balanceMinor),
    ...(balanceAt && { balanceAt: balanceAt.toISOString() }),
    balanceAlert: money(lowMinor),
    limits: {
      headroom: percent(guard.headroomBp),
      overchargeTimes: guard.overchargeTimes,
      overchargeAbove: percent(guard.overchargeAboveBp),
    },
    ...(notFound && {
      notFound: {
        times: notFound.times,
        over: durationText(notFound.overMs),
        resendAfter: durationText(notFound.resendAfterMs),
        perHour: notFound.perHour,
      },
    }),
    routes: details.routes.length,
    pausedRoutes: details.pausedRoutes.length,
    lastWeek: details.health,
    lastError: details.lastError,
    refusals: details.refusals,
    createdAt: createdAt.toISOString(),
  };
}

const percent = (basisPoints: number): string => `${basisPoints / 100}%`;

function show(view: ReturnType<typeof toView>): string {
  const { lastWeek, limits, notFound } = view;
  return fields([
    ["Id", view.id],
    ["Name", view.name],
    ["Kind", view.kind],
    [
      "State",
      view.state === "disabled" && view.disabledReason !== undefined
        ? `disabled since ${showTime(view.disabledAt ?? "")} UTC: ${view.disabledReason.replaceAll("_", " ")}`
        : view.pausedUntil === undefined
          ? view.state
          : `paused until ${showTime(view.pausedUntil)} UTC, after ${plural(view.consecutiveFailures, "failure")}`,
    ],
    ["Balance", view.balanceAt && `${view.balance ?? "not known"}, read at ${showTime(view.balanceAt)} UTC`],
    ["Alert below", view.balanceAlert],
    ["Purchases per second", `at most ${view.ratePerSecond}`],
    ["Routes", `${view.routes}${view.pausedRoutes === 0 ? "" : `, ${view.pausedRoutes} of them rest`}`],
    ["Headroom", `${limits.headroom} above the cost, for routes from its catalog`],
    [
      "Disabled at",
      `${plural(limits.overchargeTimes, "overcharge")} in 24 hours, or one of more than ${limits.overchargeAbove}`,
    ],
    [
      "Not made",
      notFound &&
        `after ${plural(notFound.times, "look-up")} over ${notFound.over} that find nothing, at most ${notFound.perHour} an hour; sent again after ${notFound.resendAfter}`,
    ],
    [
      "Last 7 days",
      `${plural(lastWeek.purchases, "purchase")}: ${lastWeek.delivered} delivered, ${lastWeek.refused} refused, ${lastWeek.notMade} not made, ${lastWeek.quarantined} in quarantine, ${lastWeek.open} open`,
    ],
    ["Added", `${showTime(view.createdAt)} UTC`],
  ]);
}
