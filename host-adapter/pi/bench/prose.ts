/**
 * Text of any length that looks like what a session holds: code, paths, logs and sentences, line by line.
 */
import type { Dice } from "./dice.ts";

const WORDS =
  "the file of a test in window entry branch note reset cursor value error result config build parse index const " +
  "await return function import export src/session/history.ts src/lib.rs README.md --release 0x1f 127 3.14 => { } ( ) " +
  "=== != warning: expected found at line column cache host guest module component session token budget page limit";
const FOREIGN = [
  "已完成：会话历史与笔记的读取测试全部通过。",
  "✓ 42 tests passed 🎉 (0 failed) — 12 ms",
  "→ größer als erwartet; naïve façade, résumé",
  "👩‍💻 pair review: ルートを確認してください",
];
/** Lines are made once and then drawn: making 100 MB word by word takes longer than measuring. */
const LINES = 2000;
/** One text in so many has lines in other scripts. V8 keeps such texts in two bytes a character. */
const FOREIGN_TEXTS = 8;

export class Prose {
  readonly #dice: Dice;
  readonly #lines: readonly string[];

  constructor(dice: Dice) {
    const words = WORDS.split(" ");
    const line = () => Array.from({ length: dice.between(3, 16) }, () => dice.pick(words)).join(" ");
    this.#dice = dice;
    this.#lines = Array.from({ length: LINES }, line);
  }

  /** A text of about that many characters. */
  text(length: number): string {
    const foreign = this.#dice.oneIn(FOREIGN_TEXTS);
    const lines: string[] = [];
    for (let left = length; left > 0; ) {
      const line = this.#dice.pick(foreign && this.#dice.oneIn(3) ? FOREIGN : this.#lines);
      // Whole characters: a cut through an emoji would leave half of a surrogate pair.
      const cut = line.length <= left ? line : line.slice(0, left).toWellFormed();
      lines.push(cut);
      left -= cut.length + 1;
    }
    return lines.join("\n");
  }
}
