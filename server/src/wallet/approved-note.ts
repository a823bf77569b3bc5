/** ` (proposed by stf_…, approved by stf_…)` at the end of a note. */
const BOTH_PEOPLE = / \(proposed by stf_[0-9a-z]+, approved by stf_[0-9a-z]+\)$/;

/** The note of a movement that took two people. The chain of hashes covers it, so nobody can change who they were. */
export const writeApprovedNote = (note: string, proposedBy: string, approvedBy: string): string =>
  `${note} (proposed by ${proposedBy}, approved by ${approvedBy})`;

/** The note as the reseller reads it: a reseller sees what the operator did, not who did it. */
export const hideStaff = <Row extends { note: string | null }>(row: Row): Row =>
  row.note === null ? row : { ...row, note: row.note.replace(BOTH_PEOPLE, "") };
