/** What is wrong at the end, by kind. Everything is empty when nothing was lost, duplicated or unexplained. */
export type Findings = {
  "orders lost": string[];
  "orders duplicated, unexpected or wrong": string[];
  "payments lost or duplicated": string[];
  "balances that differ": string[];
  "codes duplicated": string[];
  "codes lost or wrong": string[];
  "events lost": string[];
  "events unexpected or changed": string[];
  "signatures unexplained": string[];
  "jobs lost or wrong": string[];
  contradictions: string[];
  "invariants broken": string[];
};
