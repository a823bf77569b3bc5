import assert from "node:assert/strict";
import sql from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";

/** What a statement touched: pages of tables and indexes, the most rows that one step returned, the tables that it scanned. */
export type Cost = { buffers: number; rows: number; scanned: string[]; plan: string };

/** Runs each statement of `read` under `explain analyze` and adds up its cost. The rows are not returned. */
export async function explain(db: Queryable, read: (db: Queryable) => Promise<unknown>): Promise<Cost> {
  const cost: Cost = { buffers: 0, rows: 0, scanned: [], plan: "" };
  await read({
    async rows(query) {
      const [row] = await db.rows<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
        sql`explain (analyze, buffers, format json) ${query}`,
      );
      assert.ok(row);
      const { Plan: root } = row["QUERY PLAN"][0];
      cost.buffers += root["Shared Hit Blocks"] + root["Shared Read Blocks"];
      cost.rows = Math.max(cost.rows, ...nodesOf(root).map((node) => node["Actual Rows"]));
      cost.scanned.push(...nodesOf(root).flatMap(scannedTable));
      cost.plan += describe(root);
      return [];
    },
  });
  return cost;
}

type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: PlanNode[];
};

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

const describe = (node: PlanNode, indent = ""): string =>
  [
    `\n${indent}${node["Node Type"]} ${node["Index Name"] ?? node["Relation Name"] ?? ""}`,
    `: ${node["Actual Rows"]} rows, ${node["Shared Hit Blocks"] + node["Shared Read Blocks"]} buffers`,
    ...(node.Plans ?? []).map((child) => describe(child, `${indent}  `)),
  ].join("");

/** A partition that was left out is in the plan too, but nothing ran for it. One that is empty has no pages. */
const scannedTable = (node: PlanNode): string[] =>
  node["Node Type"] === "Seq Scan" && node["Actual Loops"] > 0 && pagesOf(node) > 0
    ? [node["Relation Name"] ?? ""]
    : [];

const pagesOf = (node: PlanNode): number => node["Shared Hit Blocks"] + node["Shared Read Blocks"];
