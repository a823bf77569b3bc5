import type { Command } from "commander";
import type { AuditedInvariant } from "../../audit/audit.ts";
import { runAudit } from "../../audit/record-audit.ts";
import { startProgress } from "../output/progress.ts";
import { verb } from "../verb.ts";

export function auditCommand(program: Command): void {
  verb(
    program
      .command("audit")
      .description("prove on the running database that no money and no order is lost or duplicated"),
    async (context) => {
      const progress = startProgress("invariants checked");
      const onProgress = (done: number, total: number) => progress.advance(done, done / total);
      const result = await runAudit(context, { kind: "command", id: "scrip" }, { onProgress }).finally(() =>
        progress.end(),
      );
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
