import type { OddRow, StatementEntry, StatementRow } from "../supplier.ts";

/** A purchase as we booked it. */
export type BookedPurchase = {
  reference: string;
  upstreamId: string | null;
  status: "open" | "delivered" | "refused" | "quarantined" | "not_made";
  amountMinor: bigint | null;
  currency: string | null;
  openedAt: Date;
  /** Opened within the period; others are there to be matched only. */
  isInPeriod: boolean;
};

export const FINDINGS = [
  "missing_there",
  "missing_here",
  "amount_differs",
  "duplicate",
  "reversal",
  "no_outcome_here",
  "unreadable",
] as const;
export type FindingKind = (typeof FINDINGS)[number];

/** The unit of an order that a purchase was for. */
export type FindingUnit = { orderId: string; lineIndex: number; unitIndex: number };

export type Finding = {
  kind: FindingKind;
  reference?: string;
  upstreamId?: string;
  currency: string;
  /** What we booked, and what they charged. */
  oursMinor: bigint;
  theirsMinor: bigint;
  at?: Date;
  /** Where the purchase is ours. */
  unit?: FindingUnit;
  /** What is wrong with a line that could not be read, in words of our own. */
  reason?: string;
};

export type CurrencyTotal = {
  currency: string;
  oursMinor: bigint;
  theirsMinor: bigint;
  /** Theirs less ours. It is the sum of what each kind of finding explains. */
  differenceMinor: bigint;
  explained: Readonly<Record<FindingKind, bigint>>;
};

export type Reconciliation = {
  entries: number;
  matched: number;
  counts: Readonly<Record<FindingKind, number>>;
  totals: CurrencyTotal[];
};

export type Reconciler = {
  /** Compares entries of the statement. The findings that they make are passed on at once. */
  add(entries: readonly StatementRow[]): void;
  /** What we booked and the statement lacks is found at the end, and so are lines that could not be read. */
  end(): Reconciliation;
};

/**
 * Compares a supplier's books with ours. Every purchase is matched, missing on one side, different in amount, charged twice, or
 * taken back. Only amounts of one currency are ever added.
 */
export function createReconciler(
  booked: readonly BookedPurchase[],
  keyOf: (reference: string) => string,
  onFinding: (finding: Finding, purchase: BookedPurchase | undefined) => void,
): Reconciler {
  const byKey = new Map(booked.map((one) => [keyOf(one.reference), one]));
  const byId = new Map(
    booked.flatMap((one) => (one.upstreamId === null ? [] : [[one.upstreamId, one] as const])),
  );
  const seen = new Set<BookedPurchase>();
  // A statement may list a charge and its reversal as two lines, in either order.
  const charged = new Set<BookedPurchase>();
  const reversed = new Set<BookedPurchase>();
  const unreadable: (StatementRow & { odd: OddRow })[] = [];
  const tally = createTally();
  let entries = 0;
  let matched = 0;

  const find = ({ reference = "", upstreamId = "" }: Pick<StatementEntry, "reference" | "upstreamId">) =>
    byKey.get(reference) ?? byKey.get(reference.toLowerCase()) ?? byId.get(upstreamId);
  const report = (finding: Finding, purchase?: BookedPurchase): void => {
    tally.add(finding);
    onFinding(finding, purchase);
  };
  const compare = (entry: StatementEntry): void => {
    const purchase = find(entry);
    const isCharged = purchase !== undefined && charged.has(purchase);
    const isReversed = purchase !== undefined && reversed.has(purchase);
    const verdict = judge(entry, purchase, { isCharged, isReversed });
    if (purchase && entry.state !== "failed") seen.add(purchase);
    if (purchase && entry.state === "completed") charged.add(purchase);
    if (purchase && entry.state === "reversed") reversed.add(purchase);
    if (verdict === "nothing") return;
    const finding = toFinding(entry, purchase, verdict === "matched" ? "amount_differs" : verdict, isCharged);
    if (verdict !== "matched") report(finding, purchase);
    else {
      matched += 1;
      tally.match(finding);
    }
  };
  return {
    add(page) {
      entries += page.length;
      for (const entry of page)
        if ("odd" in entry) unreadable.push(entry);
        else compare(entry);
    },
    end() {
      for (const row of unreadable) {
        const purchase = find(row);
        // Another line may have said what became of the purchase. If none did, all that we know is our own side.
        const isOurs = purchase !== undefined && isBought(purchase) && !seen.has(purchase);
        if (purchase) seen.add(purchase);
        report(toUnreadable(row, purchase, isOurs), purchase);
      }
      for (const purchase of booked) {
        if (!purchase.isInPeriod || seen.has(purchase) || !isBought(purchase)) continue;
        const { reference, currency, amountMinor, openedAt } = purchase;
        const about = { reference, currency: currency ?? "", at: openedAt };
        report({ ...about, kind: "missing_there", oursMinor: amountMinor ?? 0n, theirsMinor: 0n }, purchase);
      }
      return { entries, matched, ...tally.sums() };
    },
  };
}

const isBought = ({ status }: BookedPurchase): boolean => status === "delivered" || status === "quarantined";

/** `nothing`: neither side counts it. The rest is what lines before this one said of the purchase. */
function judge(
  entry: StatementEntry,
  purchase: BookedPurchase | undefined,
  { isCharged, isReversed }: { isCharged: boolean; isReversed: boolean },
): FindingKind | "matched" | "nothing" {
  if (entry.state === "failed" || entry.state === "pending") return "nothing";
  const isAgain = entry.state === "reversed" ? isReversed : isCharged;
  if (entry.state === "reversed") return purchase && isBought(purchase) && !isAgain ? "reversal" : "nothing";
  if (!purchase) return "missing_here";
  if (isAgain) return "duplicate";
  // The reversal has counted its charge too.
  if (isReversed) return "nothing";
  if (purchase.status === "open") return "no_outcome_here";
  if (!isBought(purchase)) return "missing_here";
  const { price } = entry;
  if (!price || purchase.amountMinor === null) return "matched";
  const isSame = price.amountMinor === purchase.amountMinor && price.currency === purchase.currency;
  return isSame ? "matched" : "amount_differs";
}

/** `isCharged`: a line before this one has counted the purchase. */
function toFinding(
  entry: StatementEntry,
  purchase: BookedPurchase | undefined,
  kind: FindingKind,
  isCharged: boolean,
): Finding {
  const isOurs = purchase !== undefined && isBought(purchase) && !isCharged;
  const oursMinor = isOurs ? (purchase.amountMinor ?? 0n) : 0n;
  const currency = entry.price?.currency ?? purchase?.currency ?? "";
  const reference = purchase?.reference ?? entry.reference;
  const at = entry.at ?? purchase?.openedAt;
  const finding = {
    kind,
    currency,
    // A purchase in another currency is not comparable: all of theirs is unexpected.
    oursMinor: purchase?.currency === currency ? oursMinor : 0n,
    theirsMinor: kind === "reversal" ? 0n : (entry.price?.amountMinor ?? oursMinor),
    ...mentioned(reference, entry.upstreamId, at),
  };
  const backMinor = entry.price?.amountMinor ?? purchase?.amountMinor ?? 0n;
  return kind === "reversal" && isCharged ? { ...finding, theirsMinor: -backMinor } : finding;
}

const toUnreadable = (
  { odd, reference, upstreamId, at }: StatementRow & { odd: OddRow },
  purchase: BookedPurchase | undefined,
  isOurs: boolean,
): Finding => ({
  kind: "unreadable",
  currency: purchase?.currency ?? "",
  oursMinor: isOurs ? (purchase?.amountMinor ?? 0n) : 0n,
  theirsMinor: 0n,
  ...mentioned(purchase?.reference ?? reference, upstreamId ?? odd.number, at ?? purchase?.openedAt),
  reason: `${odd.field} ${odd.reason}`,
});

const mentioned = (
  reference: string | undefined,
  upstreamId: string | undefined,
  at: Date | undefined,
): Pick<Finding, "reference" | "upstreamId" | "at"> => ({
  ...(reference === undefined ? {} : { reference }),
  ...(upstreamId === undefined ? {} : { upstreamId }),
  ...(at ? { at } : {}),
});

function createTally() {
  const counts: Record<FindingKind, number> = noFindings(0);
  const totals = new Map<
    string,
    { oursMinor: bigint; theirsMinor: bigint; explained: Record<FindingKind, bigint> }
  >();
  const totalOf = (currency: string) => {
    const total = totals.get(currency) ?? { oursMinor: 0n, theirsMinor: 0n, explained: noFindings(0n) };
    totals.set(currency, total);
    return total;
  };
  const match = ({ currency, oursMinor, theirsMinor }: Finding) => {
    const total = totalOf(currency);
    total.oursMinor += oursMinor;
    total.theirsMinor += theirsMinor;
    return total;
  };
  return {
    match,
    add(finding: Finding) {
      counts[finding.kind] += 1;
      // A line that could not be read and belongs to no purchase has no currency.
      if (finding.currency === "" && finding.oursMinor === 0n && finding.theirsMinor === 0n) return;
      match(finding).explained[finding.kind] += finding.theirsMinor - finding.oursMinor;
    },
    sums: () => ({
      counts,
      totals: [...totals].map(([currency, total]) => ({
        currency,
        ...total,
        differenceMinor: total.theirsMinor - total.oursMinor,
      })),
    }),
  };
}

const noFindings = <Value>(value: Value): Record<FindingKind, Value> =>
  Object.fromEntries(FINDINGS.map((kind) => [kind, value])) as Record<FindingKind, Value>;
