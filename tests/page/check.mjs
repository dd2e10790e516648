// Looks at pages in Chromium: node check.mjs PAGE...; says every fault in a line and ends with 1, or says how much was looked at.
// The packages are those of package.json, found below BARROW_PAGE_MODULES.
import { createRequire } from "node:module";
import { readFileSync, mkdtempSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(join(process.env.BARROW_PAGE_MODULES, "here.js"));
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const WIDTHS = [320, 360, 599, 768, 821, 881, 1024, 1280];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const faults = [];
let looks = 0;
const fault = (where, what) => faults.push(`${where}: ${typeof what === "string" ? what : JSON.stringify(what)}`);

const browser = await chromium.launch({ executablePath: process.env.BARROW_CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
const scratch = mkdtempSync(join(tmpdir(), "barrow-page-"));

/** Opens a page; whatever it asks for or says on the console is a fault. */
async function open(file, where, options) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("console", message => fault(where, `console: ${message.text()}`));
  page.on("pageerror", error => fault(where, `error: ${error.message}`));
  page.on("request", request => request.url() === `file://${file}` || fault(where, `asks for ${request.url()}`));
  await page.goto(`file://${file}`);
  looks += 1;
  return { context, page };
}

/** What reaches beyond the right edge. */
const sideways = () => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth === width) return null;
  const beyond = [...document.querySelectorAll("body *")].filter(one => one.getBoundingClientRect().right > width + 0.5);
  return beyond.slice(0, 4).map(one => one.outerHTML.slice(0, 90));
};

async function widths(file) {
  for (const javaScriptEnabled of [true, false]) {
    const where = `${file}, scripts ${javaScriptEnabled}`;
    const { context, page } = await open(file, where, { javaScriptEnabled });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const beyond = await page.evaluate(sideways);
      if (beyond) fault(`${where}, ${width} px`, beyond);
      looks += 1;
    }
    await context.close();
  }
}

/** Nothing that axe knows is violated, opened or not: of the first page at both widths in both schemes, of the others in two of the four. */
async function accessibility(file) {
  for (const width of [360, 1280]) {
    const schemes = file === pages[0] ? ["light", "dark"] : [width === 360 ? "light" : "dark"];
    for (const colorScheme of schemes) {
      const where = `${file} at ${width} px, ${colorScheme}`;
      const { context, page } = await open(file, where, { colorScheme, viewport: { width, height: 800 } });
      await page.evaluate(() => document.querySelectorAll("details").forEach(one => (one.open = true)));
      const beyond = await page.evaluate(sideways);
      if (beyond) fault(where, ["opened", ...beyond]);
      await page.evaluate(axeSource);
      // It cannot judge what is drawn, and takes a minute to find that out: the contrast of charts is computed from their colours.
      const { violations } = await page.evaluate(() => axe.run({ exclude: ["svg"] }, { resultTypes: ["violations"] }));
      for (const { id, nodes } of violations) fault(where, `axe ${id}: ${nodes.slice(0, 3).map(node => node.html.slice(0, 110)).join(" | ")}`);
      await context.close();
    }
  }
}

/** Without scripts a table is still one where it is shown as a list. */
async function tables(file) {
  const { context, page } = await open(file, file, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
  const session = await context.newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const roles = new Set(nodes.filter(node => !node.ignored).map(node => node.role?.value));
  if (await page.locator(".full").count()) {
    for (const role of ["table", "row", "rowheader", "cell"]) roles.has(role) || fault(file, `no ${role} at 360 px`);
  }
  await context.close();
}

/** Sorting with Enter, hiding with Space; without scripts no buttons, but targets are hidden all the same. */
async function keyboard(file) {
  for (const javaScriptEnabled of [true, false]) {
    const where = `${file}, keys, scripts ${javaScriptEnabled}`;
    const { context, page } = await open(file, where, { javaScriptEnabled });
    const buttons = page.locator("thead button");
    if (javaScriptEnabled && await buttons.count()) {
      const body = page.locator(".full tbody").first();
      const numbers = () => body.locator("td.md").evaluateAll(cells => cells.map(cell => parseFloat(cell.dataset.v)).filter(number => !Number.isNaN(number)));
      await buttons.nth(1).focus();
      await page.keyboard.press("Enter");
      const falling = await numbers();
      await page.keyboard.press("Enter");
      const rising = await numbers();
      const inOrder = (list, sign) => list.every((number, place) => place === 0 || sign * (number - list[place - 1]) >= 0);
      if (!inOrder(falling, -1) || !inOrder(rising, 1)) fault(where, `not sorted: ${falling} / ${rising}`);
      const sorted = await page.locator("th[aria-sort]").evaluateAll(heads => heads.map(head => head.getAttribute("aria-sort")));
      if (sorted.join() !== "ascending") fault(where, `aria-sort: ${sorted}`);
    }
    if (!javaScriptEnabled && await buttons.count()) fault(where, "buttons without a script");
    const boxes = page.locator("input[type=checkbox]");
    if (await boxes.count()) {
      const shown = () => page.locator(".part").first().locator(".t1:visible").count();
      const before = await shown();
      await boxes.first().focus();
      await page.keyboard.press("Space");
      const after = await shown();
      if (!(before > 0 && after === 0)) fault(where, `hidden: ${before} shown before, ${after} after`);
    }
    await context.close();
  }
}

/** Every cell of the tables is in the print, that of the values too; and the paper is white. */
async function print(file) {
  const { context, page } = await open(file, `${file}, print`, { colorScheme: "dark" });
  const path = join(scratch, "page.pdf");
  await page.pdf({ path, preferCSSPageSize: true, printBackground: true });
  const flat = text => text.replace(/\s+/g, "");
  const printed = flat(execFileSync("pdftotext", ["-layout", path, "-"], { encoding: "utf8", maxBuffer: 1 << 28 }));
  // A cell of details has two lines, each of which is looked for by itself; its unit stands in the head.
  const cells = await page.evaluate(() => [...document.querySelectorAll(".full td, .runs td")].flatMap(cell =>
    cell.matches(".dt") ? [...cell.childNodes].filter(part => part.className !== "u").map(part => part.textContent) : [cell.textContent]));
  // Letters that the fonts of this machine lack are drawn by others, and read back differently.
  const missing = cells.map(flat).filter(cell => cell !== "" && /^[\x20-\x7e–µ]*$/.test(cell) && !/[a-z]{3}/.test(cell) && !printed.includes(cell));
  if (missing.length) fault(`${file}, print`, `not printed: ${missing.slice(0, 5)} and ${missing.length} in all of ${cells.length}`);
  const size = execFileSync("pdfinfo", [path], { encoding: "utf8" });
  if (!/A4/.test(size)) fault(`${file}, print`, size);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  if (paper !== "rgb(255, 255, 255)") fault(`${file}, print`, `the paper is ${paper}`);
  await context.close();
}

/** What the judge of HTML, SVG and CSS says, of the charts that stand alone too. */
function validity(files) {
  const jar = require.resolve("vnu-jar/build/dist/vnu.jar");
  try {
    execFileSync("java", ["-jar", jar, "--errors-only", "--also-check-svg", "--also-check-css", ...files], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    // In which form a label writes its letters is its own affair.
    const lines = `${error.stderr}`.trim().split("\n").filter(line => !line.includes("Unicode Normalization Form C"));
    for (const line of lines.slice(0, 8)) fault("vnu", line);
  }
}

const files = process.argv.slice(2);
const pages = files.filter(file => file.endsWith(".html"));
try {
  for (const file of pages) {
    await widths(file);
    await accessibility(file);
    await tables(file);
    await keyboard(file);
    await print(file);
  }
  validity(files);
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true });
}
if (faults.length) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else {
  console.log(`${pages.length} pages looked at ${looks} times, ${files.length} files judged`);
}
