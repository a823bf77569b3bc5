/** Words that common passwords are made of, with numbers and signs around them. */
const WORDS =
  "password passwort passwd passphrase pass contrasena motdepasse senha parola welcome willkommen letmein login logon signin " +
  "admin administrator root user guest test testing demo default changeme change secret qwerty qwertz azerty abc iloveyou " +
  "love lovely trustno dragon monkey football baseball basketball soccer hockey sunshine princess master shadow superman " +
  "batman pokemon starwars whatever freedom hello computer internet samsung google facebook michael jennifer jessica " +
  "charlie ashley daniel jordan summer winter spring autumn january february march april june july august september " +
  "october november december monday tuesday wednesday thursday friday saturday sunday company office business scrip " +
  "reseller giftcard giftcards gift card wallet voucher money cash store shop my the is your please this new old temp";

/** Rows of keyboards, the alphabet and digits: three or more in a row, in either direction, are one thing to remember. */
const ROWS = [
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "12345678901234567890",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "!@#$%^&*()",
];
const RUN_MIN_CHARACTERS = 3;
/** A password that is a few known pieces and fewer other characters than this is as good as listed. */
const OTHERS_MIN = 4;
/** Three known words or more make a phrase, which is long enough to be one of many. */
const PHRASE_WORDS = 3;
/** A part of the email shorter than this is in many words by chance. */
const OWN_WORD_MIN_CHARACTERS = 4;

const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", $: "s", "!": "i" },
};

const byLength = (words: readonly string[]): string[] => words.toSorted((a, b) => b.length - a.length);
const COMMON_WORDS = WORDS.split(" ");

/**
 * Whether a password of sufficient length is still one that is tried first: a repetition, a run over the keyboard, or one or
 * two well-known words with numbers around them. `ownWords` are words that anyone knows of its person.
 */
export function isCommonPassword(password: string, ownWords: readonly string[] = []): boolean {
  const text = password
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s._-]/gu, "");
  const own = ownWords.flatMap((word) => [word, ...word.split(/[^\p{L}]+/u)]);
  const words = byLength([
    ...COMMON_WORDS,
    ...own.filter((word) => word.length >= OWN_WORD_MIN_CHARACTERS).map((word) => word.toLowerCase()),
  ]);
  return [text, text.replaceAll(/./gsu, (one) => LOOKALIKES[one] ?? one)].some(
    (variant) => isRepetition(variant) || countOthers(variant, words) < OTHERS_MIN,
  );
}

/** Whether the text repeats its beginning to the end: "abcabcabcabc", "aaaaaaaaaaaa". */
function isRepetition(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period += 1) {
    if (text.slice(period) === text.slice(0, -period)) return true;
  }
  return text.length === 0;
}

/** How many characters are part of no known word, run or number. */
function countOthers(text: string, words: readonly string[]): number {
  let others = 0;
  const found = new Set<string>();
  for (let index = 0; index < text.length; ) {
    const word = words.find((one) => text.startsWith(one, index));
    if (word !== undefined) found.add(word);
    const length = word?.length ?? runLength(text, index) ?? numberLength(text, index);
    if (length === undefined) others += 1;
    index += length ?? 1;
  }
  return found.size >= PHRASE_WORDS ? OTHERS_MIN : others;
}

/** A run over a row, or of one character, that begins here. */
function runLength(text: string, index: number): number | undefined {
  let longest = 0;
  for (const row of ROWS) {
    for (const line of [row, [...row].reverse().join("")]) {
      for (
        let at = line.indexOf(text.charAt(index));
        at !== -1;
        at = line.indexOf(text.charAt(index), at + 1)
      ) {
        let length = 0;
        while (at + length < line.length && line[at + length] === text[index + length]) length += 1;
        longest = Math.max(longest, length);
      }
    }
  }
  let same = 1;
  while (text[index + same] === text[index]) same += 1;
  const length = Math.max(longest, same);
  return length >= RUN_MIN_CHARACTERS ? length : undefined;
}

/** A year or a few digits, and the signs beside them, add little to a word. */
const numberLength = (text: string, index: number): number | undefined => {
  const match = /^(?:(?:19|20)\d\d|\d{1,2}(?!\d)|[!?.#*+]{1,2})/.exec(text.slice(index));
  return match?.[0].length;
};
