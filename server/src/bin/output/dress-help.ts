import type { Command, Option } from "commander";
import { EXAMPLES } from "./examples.ts";
import { paint } from "./terminal.ts";

/** Which commands belong together, in the order of the help. */
const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  "Server:": ["start", "demo", "migrate", "doctor", "audit", "alert", "job", "system", "backup", "vault"],
  "Resellers and their money:": ["reseller", "key", "user", "wallet", "deposit"],
  "What is sold, and for how much:": ["catalog", "price", "rule", "fx", "listing"],
  "Where it comes from:": ["supplier", "route", "stock"],
  "Orders:": ["order", "report"],
  "The operator's people:": ["staff"],
  "Tools:": ["listen", "completion"],
};

/** Makes the help of every command alike: required options first and marked, then the others, then an example. */
export function dressHelp(program: Command): void {
  program.configureHelp({ ...program.configureHelp(), styleTitle: (title) => paint("bold", title) });
  for (const [heading, names] of Object.entries(COMMAND_GROUPS)) {
    for (const command of program.commands.filter((one) => names.includes(one.name())))
      command.helpGroup(heading);
  }
  for (const command of program.commands) dress(command, command.name());
}

function dress(command: Command, path: string): void {
  command.configureHelp({ styleTitle: (title) => paint("bold", title) });
  // Groups come in the order of their first option.
  (command.options as Option[]).sort((one, other) => Number(other.mandatory) - Number(one.mandatory));
  for (const option of command.options) {
    option.helpGroup(option.mandatory ? "Required options:" : "Options:");
  }
  const examples = EXAMPLES[path];
  if (examples) command.addHelpText("after", `\n${paint("bold", "Examples:")}\n${indent(examples)}`);
  for (const child of command.commands) dress(child, `${path} ${child.name()}`);
}

const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join("\n");
