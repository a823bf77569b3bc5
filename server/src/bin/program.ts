import { readFileSync } from "node:fs";
import { Command } from "commander";
import { maskSecrets } from "../lib/secret.ts";
import { dressHelp } from "./output/dress-help.ts";
import { OVERVIEW } from "./output/overview.ts";

type Register = (program: Command) => void;

/**
 * Each group of verbs is a separate file that is loaded when it is needed: `scrip price` must not wait until the web server is
 * compiled. The order is that of the help.
 */
const GROUPS: Readonly<Record<string, () => Promise<Register>>> = {
  start: async () => (await import("./start-command.ts")).startCommand,
  demo: async () => (await import("./demo-command.ts")).demoCommand,
  migrate: async () => (await import("./commands/maintenance-commands.ts")).migrateCommand,
  doctor: async () => (await import("./commands/maintenance-commands.ts")).doctorCommand,
  audit: async () => (await import("./commands/audit-command.ts")).auditCommand,
  alert: async () => (await import("./commands/upkeep/alert-commands.ts")).alertCommands,
  job: async () => (await import("./commands/upkeep/job-commands.ts")).jobCommands,
  system: async () => (await import("./commands/upkeep/system-command.ts")).systemCommand,
  backup: async () => (await import("./commands/upkeep/alert-commands.ts")).backupCommands,
  vault: async () => (await import("./commands/vault-commands.ts")).vaultCommands,
  reseller: async () => (await import("./commands/reseller-commands.ts")).resellerCommands,
  key: async () => (await import("./commands/key-commands.ts")).keyCommands,
  user: async () => (await import("./commands/people-commands.ts")).userCommands,
  staff: async () => (await import("./commands/people-commands.ts")).staffCommands,
  wallet: async () => (await import("./commands/wallet-commands.ts")).walletCommands,
  deposit: async () => (await import("./commands/deposits/deposit-commands.ts")).depositCommands,
  catalog: async () => (await import("./commands/catalog-commands.ts")).catalogCommands,
  price: async () => (await import("./commands/price-commands.ts")).priceCommands,
  rule: async () => (await import("./commands/pricing/rule-commands.ts")).ruleCommands,
  fx: async () => (await import("./commands/pricing/fx-commands.ts")).fxCommands,
  listing: async () => (await import("./commands/listing-commands.ts")).listingCommands,
  supplier: async () => (await import("./commands/supply/supplier-commands.ts")).supplierCommands,
  route: async () => (await import("./commands/supply/route-commands.ts")).routeCommands,
  stock: async () => (await import("./commands/supply/stock-commands.ts")).stockCommands,
  order: async () => (await import("./commands/orders/order-commands.ts")).orderCommands,
  report: async () => (await import("./commands/pricing/report-commands.ts")).reportCommands,
  listen: async () => (await import("./commands/listen-command.ts")).listenCommand,
  completion: async () => (await import("./commands/completion-command.ts")).completionCommand,
};

/** What only names the groups: without arguments, commander prints the help too. */
const FOR_OVERVIEW: readonly (string | undefined)[] = [undefined, "--help", "-h", "--version", "-V"];

/** The command `scrip` for a command line that begins so. `--help` alone loads no group: it must not take half a second. */
export async function programFor(first: string | undefined): Promise<Command> {
  if (!FOR_OVERVIEW.includes(first)) return await buildProgram(first);
  const program = createProgram();
  for (const [name, { takes, summary }] of Object.entries(OVERVIEW))
    program.command(takes === undefined ? name : `${name} ${takes}`).description(summary);
  dressHelp(program);
  return program;
}

/** The command `scrip`, with the group that `first` names, or with all groups. */
export async function buildProgram(first?: string): Promise<Command> {
  const program = createProgram();
  const one = first !== undefined && Object.hasOwn(GROUPS, first) ? GROUPS[first] : undefined;
  // The completion needs all commands.
  const groups = one && first !== "completion" ? [one] : Object.values(GROUPS);
  for (const register of await Promise.all(groups.map((load) => load()))) register(program);
  dressHelp(program);
  return program;
}

const createProgram = (): Command =>
  new Command("scrip")
    .description("Sell gift cards and game top-ups: the server and the operator's tools.")
    .version(readVersion())
    .showHelpAfterError("(see --help)")
    .configureHelp({ showGlobalOptions: true })
    // Before the commands are created, because they inherit it.
    .configureOutput({ outputError: (text, write) => write(maskSecrets(text)) })
    // Errors reach runProgram, which sets the exit code.
    .exitOverride();

function readVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
