/** Letters that have no decomposition in Unicode, as people type them without accents. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ħ: "h",
  ı: "i",
  ł: "l",
  ŧ: "t",
};
const BEYOND_ASCII = /\P{ASCII}/u;
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/** Text without letter case, accents and other marks, so that texts that people take for the same are equal. */
export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter);
}
