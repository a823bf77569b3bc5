const SPECIAL = /[&<>"']/;
const EVERY_SPECIAL = /[&<>"']/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Plain text as HTML, every character of it. Most text has nothing to escape and is returned as it is. */
export const escapeHtml = (plain: string): string =>
  SPECIAL.test(plain) ? plain.replaceAll(EVERY_SPECIAL, (character) => ENTITIES[character] ?? "") : plain;
