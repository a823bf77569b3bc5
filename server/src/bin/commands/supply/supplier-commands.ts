import { type Command, Option } from "commander";
import { addSupplier } from "../../../suppliers/add-supplier.ts";
import { changeSupplier } from "../../../suppliers/change-supplier.ts";
import { setEnabled } from "../../../suppliers/enable-supplier.ts";
import { type NotFoundRule, setNotFoundRule } from "../../../suppliers/look-ups/not-found-rule.ts";
import { setPriceLimits } from "../../../suppliers/overcharges/price-limits.ts";
import { type ListedSupplierRow, listSupplierRows, type SupplierRow } from "../../../suppliers/queries.ts";
import { setLowBalance } from "../../../suppliers/read-balances.ts";
import { describeKinds, findKind, KIND_NAMES, REMOTE_KINDS } from "../../../suppliers/registry.ts";
import { setRateFeed } from "../../../suppliers/set-rate-feed.ts";
import { RATE_PER_SECOND_DEFAULT } from "../../../suppliers/store-supplier.ts";
import { readSupplierConfig } from "../../../suppliers/supplier-config.ts";
import { showCount, showTime } from "../../output/format.ts";
import { type Cell, table } from "../../output/table.ts";
import { type Options, required, text, UsageError, verb } from "../../verb.ts";
import { durationOf, wholeNumber } from "../read-options.ts";
import { supplierReconcileCommand } from "./supplier-reconcile-command.ts";
import { supplierReversalsCommand } from "./supplier-reversals-command.ts";
import { supplierRouteCommand } from "./supplier-route-command.ts";
import { supplierShowCommand } from "./supplier-show-command.ts";
import { supplierStatementCommand } from "./supplier-statement-command.ts";
import { supplierSyncCommand } from "./supplier-sync-command.ts";
import { supplierTestCommand } from "./supplier-test-command.ts";

const BY = { actor: { kind: "command", id: "scrip" } } as const;

export function supplierCommands(program: Command): void {
  const supplier = program.command("supplier").description("suppliers and costs; resellers never see them");
  addCommand(supplier);

  verb(
    supplier.command("list").description("list all suppliers: routes, stock and state"),
    async ({ db, clock }) => {
      const now = clock.now();
      return { data: (await listSupplierRows(db, now)).map((row) => toListed(row, now)) };
    },
    ({ data }) =>
      data.length === 0
        ? "No suppliers yet. Import stock: scrip stock import --help. Or add one: scrip supplier add --help"
        : listTable(data),
  );

  supplierShowCommand(supplier);
  updateCommand(supplier);
  enabledCommand(supplier, "enable", "buy from a supplier again");
  enabledCommand(
    supplier,
    "disable",
    "stop buying from a supplier; open purchases are followed to their end",
  );
  supplierTestCommand(supplier);
  supplierRouteCommand(supplier);
  supplierStatementCommand(supplier);
  supplierSyncCommand(supplier);
  supplierReconcileCommand(supplier);
  supplierReversalsCommand(supplier);
}

function addCommand(supplier: Command): void {
  verb(
    supplier
      .command("add")
      .description(`add a supplier: ${describeKinds()}`)
      .addOption(kindOption())
      .requiredOption("--name <name>", "a name for the supplier")
      .option("--config <file>", CONFIG_HELP)
      .option("--rate <n>", "maximum purchases per second", String(RATE_PER_SECOND_DEFAULT)),
    async (context, options) => {
      const kind = required(options, "kind");
      const file = text(options, "config");
      const { hasOwnStock } = findKind(kind) ?? {};
      if (hasOwnStock === undefined)
        throw new UsageError(`--kind must be ${KIND_NAMES.join(" or ")}, not "${kind}"`);
      if (hasOwnStock && file !== undefined) throw new UsageError(`a ${kind} supplier takes no --config`);
      if (!hasOwnStock && file === undefined) throw new UsageError(`a ${kind} supplier needs --config FILE`);
      const row = await addSupplier(context, {
        kind,
        name: required(options, "name"),
        ratePerSecond: wholeNumber(options, "rate"),
        config: file === undefined ? undefined : await readSupplierConfig(file),
      });
      return { id: row.id, kind: row.kind, name: row.name, createdAt: row.createdAt.toISOString() };
    },
    ({ id, kind, name }) => `added ${id} (${kind}, ${name}); next, add a route: scrip supplier route`,
  );
}

function updateCommand(supplier: Command): void {
  verb(
    supplier
      .command("update")
      .description("change a supplier's name, rate, or address and key")
      .argument("<id>")
      .option("--name <name>", "a name for the supplier")
      .option("--rate <n>", "maximum purchases per second")
      .option("--config <file>", CONFIG_HELP)
      .option(
        "--balance-alert <decimal>",
        "raise an alert when your balance at the supplier is below this; empty for none",
      )
      .option("--rates <yes|no>", "use the exchange rates that the supplier gives: yes or no")
      .option(
        "--headroom <percent>",
        "how far above its cost a unit of a synced route may be charged, such as 2%",
      )
      .option("--overcharge-times <n>", "disable the supplier at so many overcharges in 24 hours")
      .option("--overcharge-above <percent>", "disable it at a charge so far above the cost, such as 20%")
      .option("--not-found-times <n>", "look-ups that find nothing after which a purchase counts as not made")
      .option("--not-found-over <duration>", "how far apart the first and the last of them are, such as 15m")
      .option(
        "--resend-after <duration>",
        "how long its books lag; nothing is sent again sooner, such as 1m or 0",
      )
      .option("--not-made-per-hour <n>", "how many can count as not made in an hour; more wait for a person")
      .option("--same-account", "the new config buys from the same account; needed while purchases are open")
      .addHelpText("after", UPDATE_HELP),
    async (context, options, [id = ""]) => {
      const file = text(options, "config");
      const name = text(options, "name");
      const balanceAlert = text(options, "balanceAlert");
      const rates = text(options, "rates");
      const priceLimits = {
        headroom: text(options, "headroom"),
        overchargeTimes: text(options, "overchargeTimes"),
        overchargeAbove: text(options, "overchargeAbove"),
      };
      const hasLimits = Object.values(priceLimits).some((one) => one !== undefined);
      const rule = readNotFoundRule(options);
      const typedRule = {
        notFoundTimes: text(options, "notFoundTimes"),
        notFoundOver: text(options, "notFoundOver"),
        resendAfter: text(options, "resendAfter"),
        notMadePerHour: text(options, "notMadePerHour"),
      };
      const given = [name, file, text(options, "rate"), balanceAlert, rates, ...Object.values(rule)];
      if (!hasLimits && given.every((one) => one === undefined))
        throw new UsageError("nothing to change; see: scrip supplier update --help");
      if (rates !== undefined && !["yes", "no"].includes(rates))
        throw new UsageError("--rates must be yes or no");
      const ratePerSecond = text(options, "rate") === undefined ? undefined : wholeNumber(options, "rate");
      const config = file === undefined ? undefined : await readSupplierConfig(file);
      const isSameAccount = options.sameAccount === true;
      if (isSameAccount && config === undefined) throw new UsageError("--same-account goes with --config");
      const row = await changeSupplier(context, id, { name, ratePerSecond, config, isSameAccount });
      if (balanceAlert !== undefined) await setLowBalance(context, id, balanceAlert, BY);
      if (rates !== undefined) await setRateFeed(context, id, rates === "yes", BY);
      if (hasLimits) await setPriceLimits(context, id, priceLimits, BY);
      if (Object.keys(rule).length > 0) await setNotFoundRule(context, id, rule, BY);
      const changed = {
        name,
        ratePerSecond,
        config: file,
        balanceAlert,
        rates,
        ...priceLimits,
        ...typedRule,
      };
      return { ...toView(row), changed: definedOf(changed) };
    },
    ({ id, name, changed }) =>
      `changed ${id} (${name}): ${Object.entries(changed)
        .map(([what, value]) => `${CHANGED[what] ?? what} ${value === "" ? "none" : value}`)
        .join(", ")}`,
  );
}

const CHANGED: Readonly<Record<string, string>> = {
  ratePerSecond: "purchases per second",
  config: "config from",
  balanceAlert: "alert below",
  rates: "uses its exchange rates:",
  overchargeTimes: "disabled at overcharges in 24 hours:",
  overchargeAbove: "disabled at a charge above the cost by",
  notFoundTimes: "look-ups until a purchase counts as not made:",
  notFoundOver: "… from the first to the last:",
  resendAfter: "nothing is sent again within",
  notMadePerHour: "purchases that count as not made in an hour: at most",
};

const definedOf = <Value>(values: Readonly<Record<string, Value | undefined>>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** What is given of the rule for purchases that are not found. */
function readNotFoundRule(options: Options): Partial<NotFoundRule> {
  const given = (name: string): boolean => text(options, name) !== undefined;
  return {
    ...(given("notFoundTimes") ? { times: wholeNumber(options, "notFoundTimes") } : {}),
    ...(given("notFoundOver") ? { overMs: durationOf(options, "notFoundOver") } : {}),
    ...(given("resendAfter") ? { resendAfterMs: durationOf(options, "resendAfter") } : {}),
    ...(given("notMadePerHour") ? { perHour: wholeNumber(options, "notMadePerHour") } : {}),
  };
}

const UPDATE_HELP = `
Open purchases are looked up with the new config. Another account does not know them, and they would be bought again. So
another key is accepted only while no purchase is open, and another address only while the supplier is disabled too. If the
new config belongs to the same account, --same-account lifts both rules.`;

/** Not `choices`: commander would answer in words of its own. */
const kindOption = (): Option =>
  Object.assign(new Option("--kind <kind>", KIND_NAMES.join(" or ")).makeOptionMandatory(), {
    argChoices: [...KIND_NAMES],
  });

const CONFIG_HELP = `a JSON file; ${REMOTE_KINDS.map(({ kind, configExample }) => `for ${kind}: ${configExample}`).join("; ")}`;

function enabledCommand(supplier: Command, name: "enable" | "disable", description: string): void {
  verb(
    supplier.command(name).description(description).argument("<id>"),
    async ({ db, clock }, _options, [id = ""]) =>
      toView(await setEnabled(db, clock, id, name === "enable", BY)),
    (row) => `${row.id} (${row.name}) is ${row.enabled ? "enabled" : "disabled"}`,
  );
}

const toView = ({ createdAt, hasOwnStock: _, ...row }: SupplierRow) => ({
  ...row,
  createdAt: createdAt.toISOString(),
});

const toListed = (row: ListedSupplierRow, now: Date) => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  enabled: row.enabled,
  ratePerSecond: row.ratePerSecond,
  routes: row.routes,
  ...(row.stockLevel === null ? {} : { stockLevel: row.stockLevel }),
  breaker: toBreaker(row, now),
  createdAt: row.createdAt.toISOString(),
});

type Breaker = { state: "closed" | "open"; openUntil?: string; consecutiveFailures: number };

function toBreaker({ openUntil, consecutiveFailures }: ListedSupplierRow, now: Date): Breaker {
  return openUntil !== null && openUntil > now
    ? { state: "open", openUntil: openUntil.toISOString(), consecutiveFailures }
    : { state: "closed", consecutiveFailures };
}

const listTable = (data: readonly ReturnType<typeof toListed>[]): string =>
  table(
    [
      "ID",
      "KIND",
      { heading: "NAME", cut: true },
      "STATE",
      { heading: "STOCK", right: true, optional: true },
      { heading: "ROUTES", right: true, optional: true },
      { heading: "RATE", right: true, optional: true },
    ],
    data.map((row) => [
      row.id,
      row.kind,
      row.name,
      stateCell(row),
      row.stockLevel === undefined ? "" : showCount(row.stockLevel),
      showCount(row.routes),
      `${row.ratePerSecond}/s`,
    ]),
  );

function stateCell({ enabled, breaker }: { enabled: boolean; breaker: Breaker }): Cell {
  if (!enabled) return { text: "disabled", style: "dim" };
  return breaker.openUntil === undefined
    ? { text: "enabled", style: "green" }
    : { text: `paused until ${showTime(breaker.openUntil)}`, style: "red" };
}
