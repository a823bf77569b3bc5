/** ` (proposed by stf_…, approved by stf_…)` at the end of a note. The log cuts long text, so it may end in the middle. */
const BOTH_PEOPLE = / \(proposed by stf_[0-9a-z]*(?:, approved by stf_[0-9a-z]+\)|[\w, ]*…)$/;

/** A note as the reseller reads it: a reseller sees what the operator did, not who did it. */
export const hideStaffIn = (note: string): string => note.replace(BOTH_PEOPLE, "");
