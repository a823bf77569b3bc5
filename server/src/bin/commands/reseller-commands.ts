import type { Command } from "commander";
import { checkEmail } from "../../accounts/check-person.ts";
import type { By } from "../../activity/record-activity.ts";
import { warnAboutReseller } from "../../pricing/warn-about-reseller.ts";
import { createReseller, STANDARD_PRICE_LIST } from "../../resellers/create-reseller.ts";
import { freezeReseller, unfreezeReseller } from "../../resellers/freeze-reseller.ts";
import { getReseller } from "../../resellers/get-reseller.ts";
import { limitReseller } from "../../resellers/limit-reseller.ts";
import { listResellerRows, type ResellerRow } from "../../resellers/queries.ts";
import { changeReseller } from "../../resellers/update-reseller.ts";
import type { Context } from "../open-context.ts";
import { fields } from "../output/fields.ts";
import { showTime } from "../output/format.ts";
import { table } from "../output/table.ts";
import { required, tellWarning, text, UsageError, verb } from "../verb.ts";
import { type InvitedByCommand, inviteByCommand, showInvited } from "./people-commands.ts";

const BY: By = { actor: { kind: "command", id: "scrip" } };

export function resellerCommands(program: Command): void {
  const reseller = program.command("reseller").description("the resellers who sell your products");
  createCommand(reseller);

  verb(
    reseller.command("list").description("list all resellers"),
    async ({ db }) => ({ data: (await listResellerRows(db)).map(toView) }),
    ({ data }) =>
      data.length === 0 ? "No resellers yet. Add one: scrip reseller create --help" : listTable(data),
  );

  verb(
    reseller.command("show").description("show a reseller").argument("<id>"),
    async ({ db }, _options, [id = ""]) => toView(await getReseller(db, id)),
    showReseller,
  );

  updateCommand(reseller);
  frozenCommands(reseller);
  limitCommand(reseller);
}

function createCommand(reseller: Command): void {
  verb(
    reseller
      .command("create")
      .description("add a reseller")
      .requiredOption("--name <name>", "the name of the reseller")
      .requiredOption("--currency <code>", "the currency of its wallet and prices (ISO-4217)")
      .requiredOption("--email <address>", "the address for notices to its owner")
      .option("--price-list <name>", "the price list it buys from", STANDARD_PRICE_LIST)
      .option("--invite", "also invite its owner at that address; the link is shown this once"),
    async (context, options) => {
      const input = {
        name: required(options, "name"),
        currency: required(options, "currency"),
        email: required(options, "email"),
        priceList: text(options, "priceList"),
      };
      // What refuses the invitation refuses the reseller too.
      const email = options.invite === true ? checkEmail(input.email) : undefined;
      const created = await createReseller(context.db, context.clock, input, BY);
      const view = await withWarnings(context, created);
      if (email === undefined) return view;
      const team = { kind: "user", resellerId: created.id } as const;
      const invitation = await inviteByCommand(context, team, { email, role: "owner" }, options);
      return { ...view, invitation };
    },
    showCreated,
  );
}

function showCreated(created: ResellerView & { invitation?: InvitedByCommand }): string {
  const { id, name, currency, invitation } = created;
  const headline = `created ${id} (${name}, ${currency})`;
  return invitation
    ? `${headline}\n\n${showInvited(invitation)}`
    : `${headline}; next, invite its owner: scrip user invite --reseller ${id} --email ${created.email} --role owner; or create a key: scrip key create --reseller ${id} --env test`;
}

function updateCommand(reseller: Command): void {
  verb(
    reseller
      .command("update")
      .description("change a reseller's name, address or price list")
      .argument("<id>")
      .option("--name <name>", "the name of the reseller")
      .option("--email <address>", "the address for notices to its owner")
      .option("--price-list <name>", "the price list it buys from, starting with its next request"),
    async (context, options, [id = ""]) => {
      const change = {
        name: text(options, "name"),
        email: text(options, "email"),
        priceList: text(options, "priceList"),
      };
      if (Object.values(change).every((value) => value === undefined))
        throw new UsageError("use at least one of --name, --email and --price-list");
      return withWarnings(context, await changeReseller(context, id, change, BY));
    },
    showReseller,
  );
}

/** A reseller that will see an empty shop is named at once, and is stored all the same. */
async function withWarnings({ db, clock, config }: Context, row: ResellerRow) {
  const warnings = await warnAboutReseller({ db, clock, settings: config.pricing }, row.id);
  for (const warning of warnings) tellWarning(warning);
  return { ...toView(row), ...(warnings.length === 0 ? {} : { warnings }) };
}

/** `suspend` and `resume` are the names of an earlier version, which asked for no reason. */
function frozenCommands(reseller: Command): void {
  const freeze = reseller
    .command("freeze")
    .description("refuse new orders of a reseller; it can still read everything");
  const unfreeze = reseller.command("unfreeze").description("accept orders of a frozen reseller again");
  for (const command of [freeze, unfreeze])
    command.requiredOption("--reason <text>", "why; the reseller sees it in its dashboard");
  const earlier = { hidden: true };
  for (const [command, change] of [
    [freeze, freezeReseller],
    [unfreeze, unfreezeReseller],
    [reseller.command("suspend", earlier), freezeReseller],
    [reseller.command("resume", earlier), unfreezeReseller],
  ] as const)
    verb(
      command.argument("<id>"),
      async ({ db, clock }, options, [id = ""]) =>
        toView(await change({ db, clock }, id, text(options, "reason") ?? "No reason was given.", BY)),
      (row) =>
        row.frozenAt === undefined
          ? `${row.id} (${row.name}) can place orders`
          : `${row.id} (${row.name}) is frozen: new orders are refused; existing orders continue`,
    );
}

function limitCommand(reseller: Command): void {
  verb(
    reseller
      .command("limit")
      .description("set the rate limit of each key of a reseller; 0 is off, `default` is the server's limit")
      .argument("<id>")
      .option("--orders <n>", "placements per second")
      .option("--reads <n>", "all other requests per second"),
    async ({ db, clock }, options, [id = ""]) => {
      const limits = { ...rate(text(options, "orders"), "orders"), ...rate(text(options, "reads"), "reads") };
      if (Object.keys(limits).length === 0) throw new UsageError("use --orders, --reads or both");
      return toView(await limitReseller({ db, clock }, id, limits, BY));
    },
    (row) =>
      `${row.id}: orders ${row.rateLimits.orders ?? "default"}/s, reads ${row.rateLimits.reads ?? "default"}/s`,
  );
}

function rate(value: string | undefined, name: "orders" | "reads"): { [key in typeof name]?: number | null } {
  if (value === undefined) return {};
  if (value === "default") return { [name]: null };
  if (!/^\d{1,7}$/.test(value))
    throw new UsageError(`--${name} must be an integer or "default", not "${value}"`);
  return { [name]: Number(value) };
}

type ResellerView = ReturnType<typeof toView>;

const listTable = (data: readonly ResellerView[]): string =>
  table(
    [
      "ID",
      { heading: "NAME", cut: true },
      "CURRENCY",
      { heading: "STATE", optional: true },
      { heading: "PRICE LIST", optional: true },
      { heading: "EMAIL", cut: true, optional: true },
    ],
    data.map((row) => [
      row.id,
      row.name,
      row.currency,
      row.frozenAt === undefined ? "active" : { text: "frozen", style: "red" },
      row.priceList,
      row.email,
    ]),
  );

const showReseller = (row: ResellerView): string =>
  fields([
    ["Reseller", row.id],
    ["Name", row.name],
    [
      "State",
      row.frozenAt === undefined
        ? "active"
        : { text: `frozen since ${showTime(row.frozenAt)} UTC`, style: "red" },
    ],
    ...(row.frozenReason === undefined ? [] : [["Reason", row.frozenReason] as const]),
    ["Currency", row.currency],
    ["Email", row.email],
    ["Price list", row.priceList],
    ["Orders", limitText(row.rateLimits.orders)],
    ["Other requests", limitText(row.rateLimits.reads)],
    ["Created", `${showTime(row.createdAt)} UTC`],
  ]);

const limitText = (rate: number | undefined): string => {
  if (rate === undefined) return "the server's limit";
  return rate === 0 ? "no limit" : `${rate} per second for each key`;
};

const toView = (row: ResellerRow) => ({
  id: row.id,
  name: row.name,
  currency: row.currency,
  email: row.email,
  priceList: row.priceList,
  rateLimits: {
    ...(row.rateLimitOrders === null ? {} : { orders: row.rateLimitOrders }),
    ...(row.rateLimitReads === null ? {} : { reads: row.rateLimitReads }),
  },
  ...(row.frozenAt === null ? {} : { frozenAt: row.frozenAt.toISOString() }),
  ...(row.frozenReason === null ? {} : { frozenReason: row.frozenReason }),
  createdAt: row.createdAt.toISOString(),
});
