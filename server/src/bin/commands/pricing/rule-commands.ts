import type { Command } from "commander";
import type { By } from "../../../activity/record-activity.ts";
import { ruleView } from "../../../pricing/explanation.ts";
import { isInForce, type PriceRule, sayFloor, sayRule, sayWhat, sayWho } from "../../../pricing/rule.ts";
import { listRules } from "../../../pricing/rule-queries.ts";
import { removeRule, setRule } from "../../../pricing/set-rule.ts";
import { showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { required, text, verb } from "../../verb.ts";
import { timeOf } from "../read-options.ts";

const BY: By = { actor: { kind: "command", id: "scrip" } };

export function ruleCommands(program: Command): void {
  const rule = program.command("rule").description("rules that prices are worked out from");
  setCommand(rule);
  listCommand(rule);
  removeCommand(rule);
}

function setCommand(rule: Command): void {
  verb(
    rule
      .command("set")
      .description("set the rule of a scope; it replaces the one with the same scope and period")
      .requiredOption("--for <who>", "all, list:NAME or reseller:ID")
      .requiredOption("--on <what>", "all, category:C, brand:B or product:ID")
      .requiredOption("--kind <kind>", "fixed, off_face (below face value) or over_cost (above landed cost)")
      .requiredOption("--value <value>", "a percentage such as 4.5%; for fixed, an amount such as 9.50")
      .option("--country <code>", "only for products of this country, such as DE")
      .option("--currency <code>", "only for prices in this currency; of a fixed price its currency")
      .option("--add <amount>", "add this to the result, such as 0.10")
      .option("--min-margin <percent>", "never sell below landed cost plus this, such as 1%")
      .option("--min-amount <amount>", "and plus this, such as 0.05")
      .option("--round <step>", "round up to 0.05, or to prices that end in x.99")
      .option("--allow-above-face", "sell above face value; without it such a product cannot be bought")
      .option("--from <time>", "when it begins")
      .option("--to <time>", "when it ends"),
    async ({ db, clock }, options) => {
      const set = await setRule(db, clock, BY, {
        for: required(options, "for"),
        on: required(options, "on"),
        kind: required(options, "kind"),
        value: required(options, "value"),
        country: text(options, "country"),
        currency: text(options, "currency"),
        add: text(options, "add"),
        minMargin: text(options, "minMargin"),
        minAmount: text(options, "minAmount"),
        round: text(options, "round"),
        mayExceedFace: options.allowAboveFace === true,
        from: timeOf(options, "from"),
        to: timeOf(options, "to"),
      });
      return ruleView(set);
    },
    (set) => `${set.id}: ${set.kind} ${set.value} for ${set.for} on ${set.on}`,
  );
}

function listCommand(rule: Command): void {
  verb(
    rule.command("list").description("list the rules that are in force or begin later"),
    async ({ db, clock }, options) => {
      const rules = await listRules(db, clock.now());
      return options.json === true ? { data: rules.map(ruleView) } : { rules, now: clock.now() };
    },
    ({ rules = [], now = new Date(0) }) =>
      rules.length === 0 ? "No rules. Set one: scrip rule set --help" : ruleTable(rules, now),
  );
}

function removeCommand(rule: Command): void {
  verb(
    rule
      .command("remove")
      .description("remove a rule; prices that no rule gives any more are proposed to be removed")
      .argument("<id>"),
    async ({ db, clock }, _options, [id = ""]) => ruleView(await removeRule(db, clock, BY, id)),
    (removed) =>
      `removed ${removed.id}: ${removed.kind} ${removed.value} for ${removed.for} on ${removed.on}`,
  );
}

const ruleTable = (rules: readonly PriceRule[], now: Date): string =>
  table(
    [
      "ID",
      "FOR",
      "ON",
      "PRICE",
      { heading: "AT LEAST", optional: true },
      { heading: "ROUND", optional: true },
      { heading: "ABOVE FACE", optional: true },
      { heading: "PERIOD (UTC)", optional: true },
    ],
    rules.map((rule) => [
      rule.id,
      sayWho(rule),
      `${sayWhat(rule)}${rule.country === "" ? "" : ` in ${rule.country}`}`,
      sayRule(rule),
      sayFloor(rule),
      rule.rounding,
      rule.mayExceedFace ? "allowed" : "",
      sayPeriod(rule, now),
    ]),
  );

const sayPeriod = (rule: PriceRule, now: Date): string => {
  const from = rule.validFrom === null ? "" : `from ${showTime(rule.validFrom)}`;
  const to = rule.validTo === null ? "" : `to ${showTime(rule.validTo)}`;
  return [from, to, isInForce(rule, now) ? "" : "(not yet)"].filter((part) => part !== "").join(" ");
};
