// Checks the explorer page in a real browser: `node check.mjs PAGE FOLDER BROWSER`.
//
// The page is opened from the disk. Nothing may be requested or written to the console, every control
// must be reachable by the keyboard, every example must lead to a result or to a reason, addresses must
// hold the state, and axe-core must find nothing, in light and dark and at the width of a phone.
// Screenshots are written into FOLDER, to be looked at.

import assert from "node:assert/strict";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [file, folder, executablePath] = process.argv.slice(2);
const address = pathToFileURL(resolve(file)).href;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SECTIONS = ["residues", "extension", "product", "sum", "cube", "inversion", "network"];
mkdirSync(folder, { recursive: true });

// Containers run as root, where Chromium's sandbox does not start.
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await puppeteer.launch({ executablePath, args, headless: true });
let checks = 0;

/** Opens the page, does something with it, and fails on any request or message. */
async function open(name, { width = 1200, scheme = "light", state = "" }, action) {
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (message) => problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address) problems.push(`request: ${request.url()}`);
  });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.setViewport({ width, height: 900 });
  await page.goto(address + state);
  await page.waitForSelector("html[data-ready]", { timeout: 20_000 });
  await action(page);
  assert.deepEqual(problems, [], name);
  checks += 1;
  console.log(`ok: ${name}`);
  await page.close();
}

const summary = (page, view) => page.$eval(`form[data-view="${view}"]`, (form) => {
  let next = form.nextElementSibling;
  while (!next.matches(".output")) next = next.nextElementSibling;
  return next.querySelector("[data-summary]").textContent;
});

/** Replaces the text of an input by keystrokes, and waits until the page has answered. */
async function type(page, id, text) {
  await page.focus(`#${id}`);
  await page.keyboard.down("Control");
  await page.keyboard.press("KeyA");
  await page.keyboard.up("Control");
  await page.keyboard.press("Delete");
  await page.keyboard.type(text);
  await new Promise((done) => setTimeout(done, 250));
}

try {
  await open("every section shows a result", {}, async (page) => {
    for (const id of SECTIONS) {
      const found = await page.$eval(`#${id}`, (section) => ({
        summaries: [...section.querySelectorAll("[data-summary]")].map((p) => p.textContent),
        rows: section.querySelectorAll("tbody tr").length,
        pictures: [...section.querySelectorAll("svg")].map((svg) => svg.querySelector("desc").textContent),
      }));
      assert(found.summaries.every((text) => text.length > 20), id);
      assert(found.rows > 0 && found.pictures.length > 0, id);
      assert(found.pictures.every((text) => text.length > 10), id);
    }
    assert.match(await summary(page, "riddle"), /the number is 23,/);
  });

  await open("numbers typed on the keyboard are computed", {}, async (page) => {
    const [m, x, y] = [(1n << 61n) - 1n, 3n ** 37n, 5n ** 25n];
    await type(page, "residues-moduli", "2^61-1, 2^31-1");
    await type(page, "residues-x", "3^37");
    await type(page, "residues-y", String(y));
    const cell = await page.$eval("#residues tbody tr:last-child td:nth-of-type(2)", (td) => td.textContent);
    assert.equal(cell, String((x + y) % m));
  });

  await open("an inverse and a product of a network that are typed are computed", {}, async (page) => {
    const p = (1n << 89n) - 1n;
    await type(page, "inversion-p", "2^89-1");
    await type(page, "inversion-a", "12345678901234567890");
    const inverse = BigInt((await summary(page, "inversion")).match(/= (\d+) modulo/)[1]);
    assert.equal((inverse * 12345678901234567890n) % p, 1n);
    const costs = await page.$$eval("#inversion [data-costs] tbody tr", (rows) => rows.map((row) => Number(row.children[4].textContent)));
    assert(costs.length === 3 && costs[0] < costs[1] && costs[1] < costs[2], String(costs));
    await type(page, "network-p", "2^31-1");
    await type(page, "network-x", "123456789");
    await type(page, "network-y", "987654321");
    const s = BigInt((await summary(page, "network")).match(/^S = (\S+), and/)[1].replace("−", "-"));
    const moduli = await page.$$eval("#network [data-table] thead tr + tr th.a", (heads) => heads.map((head) => head.textContent));
    const range = moduli.map(BigInt).reduce((product, modulus) => product * modulus);
    assert.equal((s * range - 123456789n * 987654321n) % ((1n << 31n) - 1n), 0n);
  });

  await open("every example leads to a result or a reason", {}, async (page) => {
    const count = (await page.$$(".examples button")).length;
    assert(count >= 20, `${count} examples`);
    let refused = 0;
    for (let at = 0; at < count; at += 1) {
      const found = await page.evaluate((index) => {
        const button = document.querySelectorAll(".examples button")[index];
        const section = button.closest("section");
        button.click();
        const text = (selector) => [...section.querySelectorAll(selector)].map((p) => p.textContent).join("");
        return {
          label: button.textContent,
          summary: section.querySelector("[data-summary]").textContent,
          errors: text(".error"),
          invalid: section.querySelectorAll("[aria-invalid=true]").length,
        };
      }, at);
      assert.equal(found.summary === "", found.errors !== "", found.label);
      assert.equal(found.invalid, found.errors ? 1 : 0, found.label);
      assert.equal(/refused$/.test(found.label), found.errors !== "", `${found.label}: ${found.errors}`);
      refused += found.errors ? 1 : 0;
    }
    assert(refused >= 4, `${refused} refused`);
  });

  await open("the counterexamples are what they are said to be", {}, async (page) => {
    const click = (id, label) => page.evaluate((section, text) => {
      const buttons = [...document.querySelectorAll(`#${section} .examples button`)];
      buttons.find((button) => button.textContent.includes(text)).click();
    }, id, label);
    await click("extension", "rows of two: wrong");
    assert.match(await summary(page, "extension"), /finds h = 1, but the true rank is 2/);
    await click("product", "above 2P");
    assert.match(await summary(page, "product"), /\+ 2 P/);
    await click("sum", "Z = p: not zero");
    assert.match(await summary(page, "sum"), /returns \(Z mod p\) \+ p/);
    await click("inversion", "No inverse");
    assert.match(await summary(page, "inversion"), /A has no inverse/);
  });

  await open("every control is reached by the keyboard, with a visible focus", {}, async (page) => {
    const expected = await page.$$eval("a[href], button, input, select, summary, [tabindex='0']", (controls) => {
      controls.forEach((control, index) => { control.dataset.order = index; });
      return controls.filter((control) => control.checkVisibility()).map((control) => control.dataset.order);
    });
    const reached = [];
    for (let press = 0; press < expected.length; press += 1) {
      await page.keyboard.press("Tab");
      const { order, outline } = await page.evaluate(() => ({
        order: document.activeElement.dataset.order,
        outline: getComputedStyle(document.activeElement).outlineStyle,
      }));
      reached.push(order);
      assert.notEqual(outline, "none", `focus of control ${order}`);
    }
    assert.deepEqual(reached, expected);
  });

  await open("steps are walked by the keyboard", {}, async (page) => {
    for (const id of ["product", "cube", "inversion", "network"]) {
      const status = () => page.$eval(`#${id} .stepper .step`, (p) => p.textContent);
      const next = (await page.$$(`#${id} .stepper button`))[2];
      await next.focus();
      assert.match(await status(), /^Step 1 of/);
      await page.keyboard.press("Enter");
      assert.match(await status(), /^Step 2 of/);
      await page.keyboard.press("Space");
      assert.match(await status(), /^Step 3 of/);
      await page.keyboard.press("ArrowLeft");
      assert.match(await status(), /^Step 2 of/);
      const all = Number((await status()).match(/of (\d+)/)[1]);
      for (let step = 0; step < all + 3; step += 1) await page.keyboard.press("ArrowRight");
      assert.match(await status(), new RegExp(`^Step ${all} of`));
    }
  });

  await open("Play goes on by itself, and stops", {}, async (page) => {
    const [, , , play] = await page.$$("#product .stepper button");
    await play.click();
    await page.waitForFunction(() => /^Step 2/.test(document.querySelector("#product .step").textContent), { timeout: 5000 });
    await play.click();
    assert.equal(await play.evaluate((button) => button.getAttribute("aria-pressed")), "false");
  });

  await open("hostile input is text, and refused", {}, async (page) => {
    await type(page, "residues-moduli", "<img src=x onerror=alert(1)>, 7");
    const error = await page.$eval("#residues-moduli-error", (p) => ({ text: p.textContent, elements: p.children.length }));
    assert.match(error.text, /not expected here/);
    assert.equal(error.elements, 0);
    await type(page, "residues-moduli", "9".repeat(1990));
    assert.match(await page.$eval("#residues-moduli-error", (p) => p.textContent), /2048 bits/);
  });

  let shared = "";
  await open("the address holds the state", {}, async (page) => {
    await type(page, "extension-x", "12345");
    shared = await page.evaluate(() => location.hash);
    assert.match(shared, /x=12345/);
  });
  await open("a shared address shows the same", { state: shared }, async (page) => {
    assert.equal(await page.$eval("#extension-x", (input) => input.value), "12345");
    assert.match(await page.$eval("#extension caption", (caption) => caption.textContent), /X = 12345/);
  });
  await open("a shared address shows the same step", { state: "#cube?view=cube&cubes=2&form=plain&n=3233&m=65&e=2753&step=4" }, async (page) => {
    assert.match(await page.$eval("#cube .step", (p) => p.textContent), /^Step 4 of 10/);
  });
  await open("an address that makes no sense does no harm", { state: "#sum?view=sum&t=%FF&z=((((&curve=none&step=x" }, async () => {});

  for (const [name, options] of Object.entries({
    light: {}, dark: { scheme: "dark" }, phone: { width: 390 }, "dark-phone": { width: 390, scheme: "dark" }, narrow: { width: 320 },
  })) {
    await open(`accessibility and layout: ${name}`, options, async (page) => {
      const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert(content <= window, `${content} of ${window} pixels`);
      // The last steps, with all parts of the pictures visible.
      for (let step = 0; step < 8; step += 1) {
        for (const id of ["product", "cube", "inversion", "network"]) {
          await page.$eval(`#${id} .stepper button:nth-child(3)`, (button) => button.click());
        }
      }
      await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => globalThis.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
      }));
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
      assert.deepEqual(found, []);
      assert(passes.length > 20);
    });
  }
} finally {
  await browser.close();
}
console.log(`${checks} checks passed; screenshots are in ${folder}`);
