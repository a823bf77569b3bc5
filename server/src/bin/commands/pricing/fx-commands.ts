import { readFile, stat } from "node:fs/promises";
import type { Command } from "commander";
import type { By } from "../../../activity/record-activity.ts";
import { endOf } from "../../../fx/choose-rate.ts";
import { fetchRates, isRatesUrl } from "../../../fx/fetch-rates.ts";
import type { FxRate } from "../../../fx/fx-rate.ts";
import { importRates } from "../../../fx/import-rates.ts";
import { listCurrentRates } from "../../../fx/queries.ts";
import { REFERENCE_MAX_BYTES } from "../../../fx/read-ecb.ts";
import { setRate } from "../../../fx/set-rate.ts";
import { plural, showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { required, verb } from "../../verb.ts";
import { timeOf } from "../read-options.ts";

const BY: By = { actor: { kind: "command", id: "scrip" } };

export function fxCommands(program: Command): void {
  const fx = program.command("fx").description("exchange rates, for costs in other currencies");
  setCommand(fx);
  importCommand(fx);
  listCommand(fx);
}

function setCommand(fx: Command): void {
  verb(
    fx
      .command("set")
      .description("pin a rate by hand; it is stronger than every other source")
      .requiredOption("--pair <pair>", "two currencies, such as USD/EUR")
      .requiredOption("--rate <decimal>", "what one unit of the first is worth in the second, such as 0.9215")
      .option("--until <time>", "when the pin ends; without it the rate ages like any other"),
    async ({ db, clock, config }, options) => {
      const input = {
        pair: required(options, "pair"),
        rate: required(options, "rate"),
        until: timeOf(options, "until"),
      };
      const rate = await setRate(db, clock, BY, input);
      return toView(rate, clock.now(), config.pricing.rateMaxAgeMs);
    },
    ({ pair, rate, usableUntil }) => `${pair}: ${rate}, pinned until ${showTime(usableUntil)} UTC`,
  );
}

function importCommand(fx: Command): void {
  verb(
    fx
      .command("import")
      .description("import the European Central Bank's daily reference rates (eurofxref-daily.xml)")
      .argument("<file-or-url>")
      .addHelpText("after", IMPORT_HELP),
    async ({ db, clock }, _options, [source = ""]) => {
      if (isRatesUrl(source)) return fetchRates({ db, clock }, BY, source);
      const { size } = await stat(source);
      if (size > REFERENCE_MAX_BYTES)
        throw new RangeError(`${source} is larger than ${REFERENCE_MAX_BYTES} bytes; use the daily file`);
      return importRates(db, clock, BY, await readFile(source, "utf8"));
    },
    ({ date, rates, imported }) =>
      imported === 0
        ? `The ${plural(rates, "rate")} of ${date} were there already.`
        : `Imported ${plural(imported, "rate")} of ${date}.`,
  );
}

const IMPORT_HELP = `
An address is https, or http on this machine. Redirects are not followed. Set FX_RATES_URL to the same address, and workers read
it every hour.`;

function listCommand(fx: Command): void {
  verb(
    fx
      .command("list")
      .description("list the newest rate of each source in use, and which of them are too old"),
    async ({ db, clock, config }) => {
      const now = clock.now();
      const rates = await listCurrentRates(db);
      return { data: rates.map((rate) => toView(rate, now, config.pricing.rateMaxAgeMs)) };
    },
    ({ data }) =>
      data.length === 0
        ? "No rates yet. Pin one: scrip fx set --pair USD/EUR --rate 0.9215. Or import a file: scrip fx import FILE"
        : table(
            [
              "PAIR",
              { heading: "RATE", right: true },
              "SOURCE",
              "SINCE (UTC)",
              "USABLE UNTIL (UTC)",
              "STATE",
            ],
            data.map((one) => [
              one.pair,
              one.rate,
              one.supplierId === undefined ? one.source : `${one.source} ${one.supplierId}`,
              showTime(one.at),
              showTime(one.usableUntil),
              one.usable ? "in force" : { text: "too old", style: "red" as const },
            ]),
          ),
  );
}

const toView = (rate: FxRate, now: Date, maxAgeMs: number) => {
  const end = endOf(rate, maxAgeMs);
  return {
    pair: `${rate.base}/${rate.quote}`,
    rate: rate.rate,
    source: rate.source,
    ...(rate.supplierId === null ? {} : { supplierId: rate.supplierId }),
    at: rate.at.toISOString(),
    ...(rate.until === null ? {} : { until: rate.until.toISOString() }),
    ageSeconds: Math.max(0, Math.floor((now.getTime() - rate.at.getTime()) / 1_000)),
    usableUntil: end.toISOString(),
    usable: end > now,
  };
};
