/**
 * Draws a terminal's screen, given with its escape sequences, as an SVG image.
 */
import xterm, { type IBufferCell, type Terminal } from "@xterm/headless";

/** The size of a character cell, and the space around the screen, in pixels. */
const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";
const FOREGROUND = "#d4d4d4";
const BACKGROUND = "#1e1e1e";

/** The sixteen colours that have names, as most terminals show them. */
const NAMED = [
  ["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5"],
  ["#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"],
].flat();

/** Neighbouring cells of a line that look alike. */
interface Run {
  readonly column: number;
  readonly style: string;
  readonly background: string | undefined;
  text: string;
  columns: number;
}

/** The image of a screen of that size. `screen` has one line of text for each row. */
export async function screenSvg(screen: string, columns: number, rows: number, title: string): Promise<string> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(screen.trimEnd().replaceAll("\n", "\r\n"), resolve));
  const width = columns * CELL.width + 2 * MARGIN;
  const height = rows * CELL.height + 2 * MARGIN;
  const lines = Array.from({ length: rows }, (_, row) => runsOf(terminal, row).map((run) => drawRun(run, row)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    // The spaces at the ends of a run, and between its words, are part of its length.
    "<style>text { white-space: pre }</style>",
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="${FONT}" font-size="14" fill="${FOREGROUND}">`,
    ...lines.flat().filter((drawn) => drawn !== ""),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function runsOf(terminal: Terminal, row: number): readonly Run[] {
  const line = terminal.buffer.active.getLine(row);
  const runs: Run[] = [];
  for (let column = 0; column < terminal.cols; column += 1) {
    const cell = line?.getCell(column);
    // The second half of a wide character has no width of its own.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const background = cell.isBgDefault() ? undefined : colourOf(cell.isBgRGB(), cell.getBgColor());
    const last = runs.at(-1);
    if (last !== undefined && last.style === style && last.background === background) {
      last.text += cell.getChars() || " ";
      last.columns += cell.getWidth();
    } else {
      runs.push({ column, style, background, text: cell.getChars() || " ", columns: cell.getWidth() });
    }
  }
  return runs;
}

function styleOf(cell: IBufferCell): string {
  return [
    cell.isFgDefault() ? "" : ` fill="${colourOf(cell.isFgRGB(), cell.getFgColor())}"`,
    cell.isBold() ? ' font-weight="bold"' : "",
    cell.isItalic() ? ' font-style="italic"' : "",
    cell.isDim() ? ' opacity="0.6"' : "",
  ].join("");
}

/** A colour as xterm has it: 24 bits, or an index into the palette of 256. */
function colourOf(isRgb: boolean | number, colour: number): string {
  if (isRgb) return `#${colour.toString(16).padStart(6, "0")}`;
  const named = NAMED[colour];
  if (named !== undefined) return named;
  if (colour >= 232) {
    const level = 8 + (colour - 232) * 10;
    return `rgb(${level},${level},${level})`;
  }
  const cube = colour - 16;
  const [red, green, blue] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((step) =>
    step === 0 ? 0 : 55 + step * 40,
  );
  return `rgb(${red},${green},${blue})`;
}

function drawRun({ column, columns, style, background, text }: Run, row: number): string {
  const x = round(MARGIN + column * CELL.width);
  const y = MARGIN + row * CELL.height;
  const width = round(columns * CELL.width);
  const box =
    background === undefined
      ? ""
      : `<rect x="${x}" y="${y}" width="${width}" height="${CELL.height}" fill="${background}"/>`;
  const written = text.trimEnd();
  if (written === "") return box;
  const baseline = y + CELL.height * 0.75;
  // Spaces at the end are one column each.
  const length = width - (text.length - written.length) * CELL.width;
  return `${box}<text x="${x}" y="${baseline}" textLength="${round(length)}"${style}>${escapeXml(written)}</text>`;
}

/** To a tenth of a pixel. */
function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
