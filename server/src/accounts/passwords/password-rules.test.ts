import assert from "node:assert/strict";
import { test } from "node:test";
import { isCommonPassword } from "./common-passwords.ts";
import { checkNewPassword, cutPassword } from "./password-rules.ts";

const EMAIL = "ana.smith@corner.example";
const refuse = (password: string, why: RegExp) =>
  assert.throws(
    () => checkNewPassword(password, EMAIL),
    { code: "password_unfit", field: "password", message: why },
    password,
  );

test("a password has 12 characters at least and 1,024 bytes at most", () => {
  refuse("kV9#tulip-2", /at least 12 characters/);
  refuse("😀".repeat(11), /at least 12/);
  checkNewPassword("kV9#tulip-22", EMAIL);
  checkNewPassword(`${"tulip crane "}${"é".repeat(506)}`, EMAIL);
  refuse(`${"tulip crane "}${"é".repeat(507)}`, /at most 1,024 bytes/);
  refuse("tulip crane \ud800 lamp", /cannot be stored/);
});

test("a password that is, holds or is made of the email is refused", () => {
  refuse(EMAIL, /must not contain your email/);
  refuse(`x${EMAIL.toUpperCase()}x`, /must not contain your email/);
  refuse("anasmith2030!!", /easy to guess/);
  refuse("Smith12345678", /easy to guess/);
});

test("repetitions, keyboard rows, sequences and well-known words are refused", () => {
  const common =
    "aaaaaaaaaaaa abcabcabcabc abababababab 123456789012 1234567890qwerty qwertyuiop123 asdfghjkl;123 zxcvbnm,1234 " +
    "987654321098 password1234 P@ssw0rd2024! Passw0rd!Passw0rd! letmein12345 iloveyou2024 Welcome2030!! admin123456! " +
    "1qaz2wsx3edc MyPassword123 Summer-2029-! 111111222222 changeme1234 abcdefghijkl 000000000000 scrip-password";
  for (const password of common.split(" ")) assert.ok(isCommonPassword(password), password);
});

test("phrases, random characters and what a manager makes are accepted", () => {
  const fine = [
    "correct horse battery staple",
    "tulip crane lamp",
    "dragon monkey football sunshine",
    "kV9#tulip-22xZ",
    "7f3k-9dq2-mmz8",
    "zwölf Boxkämpfer jagen",
    "この文は十分に長いパスワードです",
  ];
  for (const password of fine) checkNewPassword(password, EMAIL);
});

test("what is too long to be anyone's password is not hashed", () => {
  assert.equal(cutPassword("x".repeat(1_025)), "");
  assert.equal(cutPassword("x".repeat(1_024)).length, 1_024);
});
