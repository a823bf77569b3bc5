import type { Command } from "commander";
import { type AuditedInvariant, audit } from "../../audit/audit.ts";
import { verb } from "../verb.ts";

export function auditCommand(program: Command): void {
  verb(
    program
      .command("audit")
      .description("prove on the running database that no money and no order is lost or duplicated"),
    async ({ db }) => {
      const result = await audit(db);
      if (!result.ok) process.exitCode = 1;
      return result;
    },
    ({ invariants }) => invariants.map(describe).join("\n"),
  );
}

const describe = ({ number, name, ok, checked, violations }: AuditedInvariant): string =>
  [
    `${ok ? "ok  " : "FAIL"}  ${number}. ${name} (${checked} checked)`,
    ...violations.map((one) => `        ${one}`),
  ].join("\n");
