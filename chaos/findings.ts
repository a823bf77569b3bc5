/** What is wrong in the end, by kind; all of it empty when nothing was lost, doubled or unexplained. */
export type Findings = {
  "orders lost": string[];
  "orders doubled, never told or not as wanted": string[];
  "payments lost or doubled": string[];
  "balances that differ": string[];
  "codes doubled": string[];
  "codes lost or not as sold": string[];
  "events lost": string[];
  "events that nobody wrote, or wrote otherwise": string[];
  "signatures unexplained": string[];
  contradictions: string[];
  "invariants broken": string[];
};
