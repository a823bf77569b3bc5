import { readFileSync, realpathSync } from "node:fs";
import { Command } from "commander";
import { auditCommand } from "./audit-command.ts";
import { catalogCommands } from "./catalog-commands.ts";
import { demoCommand } from "./demo-command.ts";
import { keyCommands } from "./key-commands.ts";
import { listenCommand } from "./listen-command.ts";
import { maintenanceCommands } from "./maintenance-commands.ts";
import { orderCommands } from "./order-commands.ts";
import { priceCommands } from "./price-commands.ts";
import { resellerCommands } from "./reseller-commands.ts";
import { startCommand } from "./start-command.ts";
import { stockCommands } from "./stock-commands.ts";
import { supplierCommands } from "./supplier-commands.ts";
import { vaultCommands } from "./vault-commands.ts";
import { runProgram, withoutSecrets } from "./verb.ts";
import { walletCommands } from "./wallet-commands.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const program = new Command("scrip")
  .description("Sell gift cards and game top-ups: the server and the operator's tools.")
  .version(version)
  .showHelpAfterError("(--help says how)")
  .configureHelp({ showGlobalOptions: true })
  // Before the commands are made, which take it over.
  .configureOutput({ outputError: (text, write) => write(withoutSecrets(text)) })
  // Errors come back to runProgram, which knows the exit codes.
  .exitOverride();

startCommand(program);
maintenanceCommands(program);
demoCommand(program);
resellerCommands(program);
keyCommands(program);
catalogCommands(program);
priceCommands(program);
walletCommands(program);
supplierCommands(program);
stockCommands(program);
orderCommands(program);
auditCommand(program);
vaultCommands(program);
listenCommand(program);

// Whoever imports the program runs it by itself.
if (realpathSync(process.argv[1] ?? "") === import.meta.filename) await runProgram(program, process.argv);
